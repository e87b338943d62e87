extension SQLiteStore {
    /// The value of a parameter (`?`) of a statement.
    public enum Value {
        /// NULL.
        case null
        /// INTEGER.
        case integer(Int64)
        /// REAL.
        case real(Double)
        /// TEXT, in UTF-8.
        case text(String)
        /// BLOB.
        case bytes([UInt8])
        /// Bytes without a copy. They must be valid and unchanged until the call with this value returns.
        case view(UnsafeRawBufferPointer)

        /// An integer.
        public static func integer(_ number: Int) -> Value { .integer(Int64(number)) }

        /// An integer, or null.
        public static func optional(_ number: Int64?) -> Value { number.map { .integer($0) } ?? .null }
        /// A text, or null.
        public static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    }
}

extension SQLiteStore.Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    /// An integer.
    public init(integerLiteral number: Int64) { self = .integer(number) }
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
}
