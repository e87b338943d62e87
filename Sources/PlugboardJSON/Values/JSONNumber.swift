/// A JSON number (RFC 8259 §6). It keeps its original text, so that numbers of any size are exact.
///
/// Equality, order and hashing use the mathematical value: `1.0`, `1` and `10e-1` are equal. Exponents are never
/// expanded, so `1e999999999` is as cheap as its short text. The only limit: an exponent of a number other than zero
/// has at most 18 digits.
public struct JSONNumber: Sendable {
    enum Storage: Sendable {
        /// The integer whose decimal digits are the text.
        case integer(Int64)
        /// Text that follows the grammar of RFC 8259 §6.
        case text(String)
    }

    let storage: Storage

    init(storage: Storage) { self.storage = storage }

    /// An integer of any size.
    public init(_ value: some BinaryInteger) {
        if let integer = Int64(exactly: value) {
            storage = .integer(integer)
        } else {
            storage = .text(String(value))
        }
    }

    /// The shortest decimal number that is parsed as this double; nil for infinity and NaN, which JSON cannot express.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        storage = .text(value.description)
    }

    /// Nil if the text is not exactly one number of RFC 8259 §6, without white space around it.
    public init?(text: String) {
        // A text that begins and ends like a number and is one value is a number without white space around it.
        guard let first = text.utf8.first, let last = text.utf8.last, first.isDigit || first == UInt8(ascii: "-"),
            last.isDigit, case .number(let number)? = try? JSONParser.parse(text, options: .unlimited)
        else { return nil }
        self = number
    }

    /// The number with its original text.
    public var text: String {
        switch storage {
        case .integer(let integer): String(integer)
        case .text(let text): text
        }
    }

    /// Whether the value is an integer; `1.0` and `1e2` are.
    public var isInteger: Bool {
        switch storage {
        case .integer: true
        case .text(let text): CanonicalDecimal(text).isInteger
        }
    }

    /// The value as a 64-bit integer; nil if it is not an integer or does not fit.
    public var int64: Int64? { integer(Int64.self) }

    /// The value as an integer of a type; nil if it is not an integer or does not fit.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        switch storage {
        case .integer(let integer): Integer(exactly: integer)
        case .text(let text): CanonicalDecimal(text).integer(type)
        }
    }

    /// The nearest double; infinite beyond the range of doubles.
    public var double: Double {
        switch storage {
        case .integer(let integer): Double(integer)
        case .text(let text): Double(text) ?? CanonicalDecimal(text).double
        }
    }

    /// Whether the value is an exact integer multiple of the other. Only 0 is a multiple of 0.
    ///
    /// The time is linear in the digits of this number. If the divisor has more than 18 digits, it is also linear in
    /// them.
    public func isMultiple(of divisor: JSONNumber) -> Bool {
        if case .integer(let value) = storage, case .integer(let divisor) = divisor.storage {
            return divisor == 0 ? value == 0 : value.magnitude % divisor.magnitude == 0
        }
        return canonical.isMultiple(of: divisor.canonical)
    }

    var canonical: CanonicalDecimal {
        switch storage {
        case .integer(let integer): CanonicalDecimal(integer)
        case .text(let text): CanonicalDecimal(text)
        }
    }
}

extension JSONNumber: Hashable, Comparable {
    /// Compares exact values: `1.0` equals `1`.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        if case .integer(let left) = left.storage, case .integer(let right) = right.storage { return left == right }
        return left.canonical == right.canonical
    }

    /// Compares exact values.
    public static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        if case .integer(let left) = left.storage, case .integer(let right) = right.storage { return left < right }
        return left.canonical < right.canonical
    }

    /// Hashes the exact value.
    public func hash(into hasher: inout Hasher) {
        if let integer = int64 {
            hasher.combine(integer)
        } else {
            hasher.combine(canonical)
        }
    }
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// The number of a literal.
    public init(integerLiteral value: Int64) { storage = .integer(value) }

    /// The number of a literal, which must be finite.
    public init(floatLiteral value: Double) {
        precondition(value.isFinite, "A JSON number is finite: use init(text:) for numbers beyond the range of Double.")
        storage = .text(value.description)
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number with its original text.
    public var description: String { text }
}
