/// A pattern for a whole text, in which a sign stands for any text, also for none.
public struct Wildcard: Sendable {
    /// The pattern as it was written.
    public let text: String
    private let parts: [[UInt8]]

    /// A pattern. It is compared byte by byte: lower both texts to compare them without case.
    ///
    /// - Parameter sign: What stands for any text.
    public init(_ text: String, any sign: Unicode.Scalar = "*") {
        self.text = text
        // A combining mark after a sign would make another character of it.
        parts = text.unicodeScalars.split(separator: sign, omittingEmptySubsequences: false).map {
            Array(Substring($0).utf8)
        }
    }

    /// The only text that matches; nil if several do.
    public var literal: [UInt8]? { parts.count == 1 ? parts[0] : nil }

    /// Whether the pattern matches the whole of a text in UTF-8.
    public func matches(_ other: [UInt8]) -> Bool {
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return parts.first == other }
        guard other.count >= first.count + last.count, other.starts(with: first),
            other[(other.count - last.count)...].elementsEqual(last)
        else { return false }
        var rest = other[first.count..<(other.count - last.count)]
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let end = Wildcard.end(of: part, in: rest) else { return false }
            rest = rest[end...]
        }
        return true
    }

    /// Where the first occurrence ends; nil if there is none. `firstRange(of:)` would link a megabyte of the standard
    /// library into each program.
    private static func end(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var start = bytes.startIndex
        while bytes.endIndex - start >= part.count {
            if bytes[start...].starts(with: part) { return start + part.count }
            start += 1
        }
        return nil
    }
}
