/// One value or key of a parsed document, in 16 bytes. The tokens of a document stand in its order.
struct Token {
    /// What a token is. Numbers have a kind for each way that their value is kept.
    enum Kind: UInt8 {
        case null, `false`, `true`
        /// An integer of 64 bits.
        case integer
        /// A number with a fraction: an integer of 64 bits and a power of ten from -18 to -1.
        case decimal
        /// Numbers that only their text holds.
        case bigInteger, bigDecimal
        case string, array, object
        /// The key of a member; its value is the next token.
        case key
        /// A key that the same object has again later: the last one counts.
        case replacedKey
    }

    static let isASCII: UInt8 = 1
    /// The number is written with a fraction or an exponent.
    static let hasFraction: UInt8 = 2

    var kind: Kind
    var flags: UInt8 = 0
    /// The power of ten of a decimal.
    var exponent: Int8 = 0
    /// The bytes of a string or of a number's text, the elements of an array, the members of an object.
    var count: UInt32 = 0
    /// An integer's bits, or an offset (of text: into the bytes; of a container: the token after its last one) with a
    /// hash (of a key) or with the kinds of its parts (of a container).
    var payload: UInt64 = 0

    var offset: Int { Int(payload & 0xFFFF_FFFF) }
    /// The hash of a key.
    var hash: UInt32 { UInt32(truncatingIfNeeded: payload >> 32) }
    /// A bit for each kind that the elements or members of a container have; 0 if that is not known.
    var parts: UInt16 { UInt16(truncatingIfNeeded: payload &>> 32) }

    /// The bit of a kind in a payload.
    @inline(__always)
    static func part(_ kind: Kind) -> UInt64 { 1 &<< UInt64(32 &+ kind.rawValue) }

    var integer: Int64 { Int64(bitPattern: payload) }

    static func text(_ kind: Kind, flags: UInt8, offset: Int, count: Int, hash: UInt32 = 0) -> Token {
        Token(
            kind: kind, flags: flags, count: UInt32(truncatingIfNeeded: count),
            payload: UInt64(hash) << 32 | UInt64(truncatingIfNeeded: offset))
    }
}

extension Token.Kind {
    var isContainer: Bool { self == .array || self == .object }
}
