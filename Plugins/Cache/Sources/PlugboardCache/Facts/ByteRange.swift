import PlugboardKit

/// The value of a request's `Range` (RFC 9110 §14.1.2).
enum ByteRange: Sendable, Equatable {
    /// From a byte through another one, or to the end.
    case from(Int, through: Int?)
    /// The last bytes.
    case last(Int)

    /// Parses one range of bytes. Nil for several ranges, for another unit and for a malformed value.
    init?(_ text: UnsafeRawBufferPointer) {
        let text = text.trimmed
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")), text.part(0, equals).equals("bytes") else {
            return nil
        }
        let range = text.part(equals + 1, text.count).trimmed
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (left, right) = (range.part(0, dash), range.part(dash + 1, range.count))
        if left.isEmpty {
            guard let count = right.byteCount else { return nil }
            self = .last(count)
        } else {
            guard let first = left.byteCount else { return nil }
            let last = right.byteCount
            guard right.isEmpty || last.map({ $0 >= first }) == true else { return nil }
            self = .from(first, through: last)
        }
    }

    /// The bytes of a representation with this length; empty if the range is outside it.
    func bytes(of complete: Int) -> Range<Int> {
        switch self {
        case .from(let first, let last):
            guard first < complete else { return complete..<complete }
            return first..<min(last.map { $0 &+ 1 } ?? complete, complete)
        case .last(let count): return max(complete - count, 0)..<complete
        }
    }
}

/// The value of a response's `Content-Range` (RFC 9110 §14.4).
struct ContentRange: Sendable, Equatable {
    let bytes: Range<Int>
    /// The length of the whole representation; nil if it is unknown.
    let complete: Int?

    /// Nil for an unsatisfied range, for another unit, and for a malformed or impossible value.
    init?(_ text: UnsafeRawBufferPointer) {
        let text = text.trimmed
        guard text.part(0, 5).equals("bytes"), text.count > 6, text[5] == 0x20 else { return nil }
        let rest = text.part(6, text.count).trimmed
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
            let dash = rest.firstIndex(of: UInt8(ascii: "-")), dash < slash,
            let first = rest.part(0, dash).byteCount, let last = rest.part(dash + 1, slash).byteCount, first <= last
        else { return nil }
        let size = rest.part(slash + 1, rest.count)
        complete = size.byteCount
        guard complete.map({ last < $0 }) ?? size.elementsEqual("*".utf8) else { return nil }
        bytes = first..<last + 1
    }

    init?(of fields: Fields) {
        guard let range = fields.firstValue(.contentRange, { ContentRange($0) }) else { return nil }
        self = range
    }

    /// Whether the range is the whole.
    var isWhole: Bool { complete == bytes.count }
}
