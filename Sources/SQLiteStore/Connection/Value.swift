extension SQLiteStore {
    /// What stands in for a `?` of a statement.
    public enum Value {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case bytes([UInt8])
        /// Bytes in place, which stay what they are until the call that gets this returns.
        case view(UnsafeRawBufferPointer)

        public static func integer(_ number: Int) -> Value { .integer(Int64(number)) }

        /// The value, or null.
        public static func optional(_ number: Int64?) -> Value { number.map { .integer($0) } ?? .null }
        public static func optional(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    }
}

extension SQLiteStore.Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    public init(integerLiteral number: Int64) { self = .integer(number) }
    public init(stringLiteral text: String) { self = .text(text) }
    public init(nilLiteral: ()) { self = .null }
}
