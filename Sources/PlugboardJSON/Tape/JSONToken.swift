/// One value or key of a parsed text, in 16 bytes. Tokens have the order of the text: the contents of an array or
/// object follow its token; keys and values of an object alternate.
///
/// Members of the interface `Tape` serve modules of this package only. They are public because `package` declarations
/// are not inlined across modules.
@_spi(Tape) public struct JSONToken {
    /// The kind of a token. Numbers have several kinds, depending on how their value is stored.
    public enum Kind: UInt8 {
        case null, `false`, `true`
        /// An integer of 64 bits.
        case integer
        /// A number with a fraction: an integer of 64 bits and a power of ten from -18 to -1.
        case decimal
        /// Numbers whose value is stored only as text.
        case bigInteger, bigDecimal
        case string, array, object
        /// The key of a member; its value is the next token.
        case key
        /// A key that occurs again later in the same object: the last one is used.
        case replacedKey
    }

    /// Set on a string of ASCII without escapes.
    @inlinable public static var isASCII: UInt16 { 1 }
    /// Set on a number that is written with a fraction or an exponent.
    @inlinable public static var hasFraction: UInt16 { 2 }
    /// Set on an object in which a key occurs again later.
    @inlinable public static var hasReplacedKeys: UInt16 { 1 << 15 }

    public var kind: Kind
    /// The power of ten of a decimal.
    public var exponent: Int8 = 0
    /// Flags. For an array or object, also a bit for each kind of its elements or values; none if they are unknown.
    public var detail: UInt16 = 0
    /// The number of bytes of a string or of a big number's text, of elements of an array, or of members of an object
    /// without replaced ones. For other values, the offset in the text.
    public var count: UInt32 = 0
    /// The bits of an integer; or the offset of the text, with the hash of a key above it; or the token after the last
    /// one of an array or object, with the offset of its bracket above it.
    public var payload: UInt64 = 0

    @inlinable
    public init(kind: Kind, exponent: Int8 = 0, detail: UInt16 = 0, count: UInt32 = 0, payload: UInt64 = 0) {
        self.kind = kind
        self.exponent = exponent
        self.detail = detail
        self.count = count
        self.payload = payload
    }

    @inlinable
    static func text(_ kind: Kind, detail: UInt16, offset: Int, count: Int, hash: UInt32 = 0) -> JSONToken {
        JSONToken(
            kind: kind, detail: detail, count: UInt32(truncatingIfNeeded: count),
            payload: UInt64(hash) << 32 | UInt64(truncatingIfNeeded: offset))
    }
}

@_spi(Tape) extension JSONToken {
    /// The offset of a text without its quote, or the token after the last one of an array or object.
    @inlinable public var offset: Int { Int(payload & 0xFFFF_FFFF) }
    /// The hash of a key.
    @inlinable public var hash: UInt32 { UInt32(truncatingIfNeeded: payload &>> 32) }
    @inlinable public var integer: Int64 { Int64(bitPattern: payload) }

    /// The offset of the value or key in the text.
    public var position: Int {
        switch kind {
        case .string, .key, .replacedKey: offset - 1
        case .array, .object: Int(payload >> 32)
        case .bigInteger, .bigDecimal: offset
        case .null, .false, .true, .integer, .decimal: Int(count)
        }
    }
}

@_spi(Tape) extension JSONToken.Kind {
    @inlinable public var isContainer: Bool { self == .array || self == .object }
    @inlinable public var isNumber: Bool { bit & 0b111_1000 != 0 }
    /// A bit for each kind.
    @inlinable public var bit: UInt16 { 1 &<< UInt16(rawValue) }

    /// The name to print after "expected": `an object`, `null`.
    public var name: String {
        switch self {
        case .null: "null"
        case .true, .false: "a boolean"
        case .integer, .decimal, .bigInteger, .bigDecimal: "a number"
        case .string, .key, .replacedKey: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
