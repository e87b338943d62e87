import PlugboardMessages

/// The value of a response's `Content-Range` for a part (RFC 9110 §14.4).
public struct ContentRange: Sendable, Equatable {
    /// The offsets of the part's bytes in the representation; never empty.
    public let bytes: Range<Int>
    /// The length of the whole representation; nil if the server does not know it.
    public let complete: Int?

    /// Reads a value. Nil for an unsatisfied range, for another unit, and for a malformed or impossible value.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...].trimmed
        // Names of units are case-insensitive (RFC 9110 §14.1).
        guard rest.prefix(5).isText("bytes"), rest.dropFirst(5).first == UInt8(ascii: " ") else { return nil }
        rest = rest.dropFirst(6)
        guard let first = rest.takeNumber(), rest.take("-"), let last = rest.takeNumber(), rest.take("/"),
            first <= last, last < Int.max
        else { return nil }
        if rest.elementsEqual("*".utf8) {
            complete = nil
        } else {
            guard let complete = rest.takeNumber(), rest.isEmpty, last < complete else { return nil }
            self.complete = complete
        }
        bytes = first..<last + 1
    }

    /// Whether a response with the status of a whole representation has a body that is only a part of it, according to
    /// its fields. Such a body is unusable. RFC 9110 §14.4 gives the field no meaning there, so that the range of the
    /// whole and a malformed value are not contradictions.
    public static func contradictsWhole(_ fields: Fields, bodyLength: Int?) -> Bool {
        fields.values(.contentRange).contains { value in
            guard let range = ContentRange(value) else { return false }
            return range.bytes.lowerBound != 0 || range.bytes.count != range.complete ?? range.bytes.count
                || range.bytes.count != bodyLength ?? range.bytes.count
        }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without spaces and tabs at both ends.
    var trimmed: ArraySlice<UInt8> {
        var rest = drop { $0 == 0x20 || $0 == 0x09 }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }

    /// Compares with a text in lower case, without regard to the case of ASCII letters.
    func isText(_ text: String) -> Bool {
        elementsEqual(text.utf8) { byte, other in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 == other : byte == other
        }
    }

    /// Removes a decimal number from the beginning; nil if there is no digit or the number is too large.
    fileprivate mutating func takeNumber() -> Int? {
        var number = 0
        var count = 0
        while let digit = first.map({ $0 &- 0x30 }), digit < 10 {
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(Int(digit))
            if isTooLarge || overflows { return nil }
            number = sum
            count += 1
            removeFirst()
        }
        return count > 0 ? number : nil
    }

    fileprivate mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: character) else { return false }
        removeFirst()
        return true
    }
}
