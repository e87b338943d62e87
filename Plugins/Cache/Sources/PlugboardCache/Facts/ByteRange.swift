import PlugboardKit
import PlugboardRanges

/// The value of a request's `Range` (RFC 9110 §14.1.2).
enum ByteRange: Sendable, Equatable {
    /// The bytes from the first through the last one, or to the end.
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

extension ContentRange {
    /// Nil if the field is missing or malformed, or if a number is larger than any body.
    init?(of fields: Fields) {
        guard let value = fields.firstValue(.contentRange, { String(decoding: $0, as: UTF8.self) }) else { return nil }
        self.init(value)
        if max(bytes.upperBound, complete ?? 0) > 1_000_000_000_000_000_000 { return nil }
    }

    /// Whether the range covers the whole representation.
    var isWhole: Bool { complete == bytes.count }
}
