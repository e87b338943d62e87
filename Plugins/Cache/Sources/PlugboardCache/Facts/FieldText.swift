import PlugboardKit

/// Parsing of field values in place, without a `String`.
extension UnsafeRawBufferPointer {
    /// The value without surrounding blanks (RFC 9110 §5.6.3).
    var trimmed: UnsafeRawBufferPointer {
        var (start, end) = (startIndex, endIndex)
        while start < end, Self.isBlank(self[start]) { start += 1 }
        while end > start, Self.isBlank(self[end - 1]) { end -= 1 }
        return part(start, end)
    }

    /// The bytes from `start` to `end`; the bounds are clamped.
    func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        let lower = Swift.min(Swift.max(start, 0), count)
        return UnsafeRawBufferPointer(rebasing: self[lower..<Swift.min(Swift.max(end, lower), count)])
    }

    /// Compares with a word, which must be in lower case, without regard to case.
    @inline(__always)
    func equals(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount else { return false }
        for index in 0..<count where lowercaseASCII(self[index]) != word.utf8Start[index] { return false }
        return true
    }

    func equals(_ other: some Sequence<UInt8>) -> Bool { elementsEqual(other) }

    /// The number, if the value is digits only (RFC 9111 §1.2.2), clamped to 2^31.
    var deltaSeconds: Int64? {
        guard !isEmpty else { return nil }
        var number: Int64 = 0
        for byte in self {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = Swift.min(number * 10 + Int64(byte - 0x30), deltaSecondsLimit)
        }
        return number
    }

    /// The number of bytes; nil if the value is not a number, or larger than any body.
    var byteCount: Int? {
        guard (1...18).contains(count) else { return nil }
        var number = 0
        for byte in self {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The largest number of seconds (RFC 9111 §1.2.2).
let deltaSecondsLimit: Int64 = 1 << 31

/// ASCII lower case; other bytes are unchanged.
@inline(__always)
func lowercaseASCII(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

/// The members of a list in a field value, without blanks around them, including empty ones (RFC 9110 §5.6.1).
struct FieldList {
    private var rest: UnsafeRawBufferPointer?
    private let hasEscapes: Bool
    /// Whether an unclosed quote was found. All quotes after it are escaped, so none of them starts a quoted text.
    private var hasOpenQuote = false

    /// - Parameter hasEscapes: Whether a backslash in quotes escapes the next byte; false for entity tags (RFC 9110
    ///   §8.8.3).
    init(_ value: UnsafeRawBufferPointer, hasEscapes: Bool = true) {
        rest = value
        self.hasEscapes = hasEscapes
    }

    /// A comma between quotes does not end a member. An unclosed quote is an ordinary character, so that it cannot hide
    /// the directives after it.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard let value = rest else { return nil }
        var index = 0
        while index < value.count, value[index] != UInt8(ascii: ",") {
            if value[index] == UInt8(ascii: "\""), !hasOpenQuote {
                if let end = closingQuote(of: value, after: index) { index = end } else { hasOpenQuote = true }
            }
            index += 1
        }
        rest = index < value.count ? value.part(index + 1, value.count) : nil
        return value.part(0, index).trimmed
    }

    private func closingQuote(of value: UnsafeRawBufferPointer, after start: Int) -> Int? {
        var index = start + 1
        while index < value.count {
            if value[index] == UInt8(ascii: "\"") { return index }
            index += hasEscapes && value[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }
}

extension Fields {
    /// Calls `body` with each member of the list that all fields of this name form.
    func forEachMember(_ name: FieldName, hasEscapes: Bool = true, _ body: (UnsafeRawBufferPointer) -> Void) {
        forEachValue(name) { value in
            var list = FieldList(value, hasEscapes: hasEscapes)
            while let member = list.next() {
                if !member.isEmpty { body(member) }
            }
        }
    }

    /// Calls `body` with the value of each field of this name, without surrounding blanks.
    func forEachValue(_ name: FieldName, _ body: (UnsafeRawBufferPointer) -> Void) {
        withUTF8Bytes(name.text) { wanted in
            forEachField { name, value in
                if isSameName(name, wanted) { body(value.trimmed) }
            }
        }
    }

    /// Calls `body` with the first value of this name, without surrounding blanks.
    func firstValue<Result>(_ name: FieldName, _ body: (UnsafeRawBufferPointer) -> Result?) -> Result? {
        withUTF8Bytes(name.text) { name in withValue(name) { $0.flatMap { body($0.trimmed) } } }
    }
}

func withUTF8Bytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var text = text
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
}

private func isSameName(_ name: UnsafeRawBufferPointer, _ wanted: UnsafeRawBufferPointer) -> Bool {
    guard name.count == wanted.count else { return false }
    for index in 0..<name.count where lowercaseASCII(name[index]) != lowercaseASCII(wanted[index]) { return false }
    return true
}

/// One directive of `Cache-Control` or `Pragma` (RFC 9111 §5.2): a name in any case, and optionally an argument.
struct Directive {
    let name: UnsafeRawBufferPointer
    /// The argument without its quotes; nil without one.
    let argument: UnsafeRawBufferPointer?
    let isQuoted: Bool
    /// Whether there are blanks beside the equals sign, which the grammar does not allow.
    let isMalformed: Bool

    init(_ member: UnsafeRawBufferPointer) {
        var equals = 0
        while equals < member.count, member[equals] != UInt8(ascii: "=") { equals += 1 }
        if equals == member.count {
            (name, argument, isQuoted, isMalformed) = (member, nil, false, false)
            return
        }
        let left = member.part(0, equals)
        let right = member.part(equals + 1, member.count)
        name = left.trimmed
        isMalformed = name.count != left.count || right.trimmed.count != right.count
        isQuoted = right.count >= 2 && right.first == UInt8(ascii: "\"") && right.last == UInt8(ascii: "\"")
        argument = isQuoted ? right.part(1, right.count - 1) : right
    }

    /// The argument in seconds, quoted or not; nil if it is not a number.
    var seconds: Duration? {
        isMalformed ? nil : argument?.deltaSeconds.map { .seconds($0) }
    }

    /// The directives of one field value.
    static func forEach(in value: UnsafeRawBufferPointer, _ body: (Directive) -> Void) {
        var list = FieldList(value)
        while let member = list.next() {
            if !member.isEmpty { body(Directive(member)) }
        }
    }
}
