/// A name, compared without case, in which `*` stands for any text.
public struct NamePattern: Sendable {
    private let parts: [[UInt8]]

    /// The pattern as it is written.
    public init(_ text: String) {
        parts = text.lowercased().utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(
            Array.init)
    }

    /// Whether the pattern matches the whole name, which is in lower case.
    public func matches(_ name: [UInt8]) -> Bool {
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return parts.first == name }
        guard name.count >= first.count + last.count, name.starts(with: first),
            name[(name.count - last.count)...].elementsEqual(last)
        else { return false }
        var rest = name[first.count..<(name.count - last.count)]
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let place = rest.firstRange(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }
}
