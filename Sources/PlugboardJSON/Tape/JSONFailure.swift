/// The reason why a text is not valid JSON. Cheaper to throw than `JSONError`, which has a line and a column.
@_spi(Tape) public struct JSONFailure: Error {
    /// The offset in bytes from the beginning.
    public let offset: Int
    /// One sentence without a full stop. Does not quote the text, except for a short key.
    public let reason: String
    /// The character at the place of an expected one, in quotes.
    public var found: String?
    /// Whether the text exceeds a limit, so that it may still be valid JSON.
    public var isLimit = false
}

@_spi(Tape) extension JSONTapeParser {
    @inline(never)
    public func failure(_ reason: String, at offset: Int? = nil, isLimit: Bool = false) -> JSONFailure {
        JSONFailure(offset: min(offset ?? cursor, size), reason: reason, isLimit: isLimit)
    }

    @inline(never)
    public func unexpected(_ expected: String, at offset: Int? = nil) -> JSONFailure {
        let offset = offset ?? cursor
        guard offset < size else { return failure("the text ends where \(expected) is expected", at: offset) }
        let rest = UnsafeBufferPointer(start: bytes + offset, count: min(4, size - offset))
        var decoder = UTF8()
        var iterator = rest.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
            return failure("the text is not valid UTF-8", at: offset)
        }
        if scalar == "/", !allowsComments { return failure("comments are not allowed here", at: offset) }
        var failure = failure("\(expected) is expected", at: offset)
        failure.found = String(scalar).quotedForError
        return failure
    }

    /// The key of a token is a duplicate in its object.
    @inline(never)
    public func duplicate(_ key: JSONToken) -> JSONFailure {
        let name = String(
            decoding: UnsafeBufferPointer(start: bytes + key.offset, count: Int(key.count)), as: UTF8.self)
        return failure("the key \(name.quotedForError) is a duplicate", at: key.position)
    }

    public func outOfMemory() -> JSONFailure {
        failure("there is not enough memory for a text of this size", isLimit: true)
    }
}
