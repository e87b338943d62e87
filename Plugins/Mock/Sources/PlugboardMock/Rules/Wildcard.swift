/// A text in which `*` stands for any text.
struct Wildcard: Sendable {
    let text: String
    private let parts: [[UInt8]]

    init(_ text: String) {
        self.text = text
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Whether all of the other text fits.
    func matches(_ other: String) -> Bool {
        let other = Array(other.utf8)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return parts.first == other }
        guard other.count >= first.count + last.count, other.starts(with: first),
            other[(other.count - last.count)...].elementsEqual(last)
        else { return false }
        var rest = other[first.count..<(other.count - last.count)]
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let place = rest.firstRange(of: part) else { return false }
            rest = rest[place.upperBound...]
        }
        return true
    }
}
