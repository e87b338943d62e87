/// The tokens of a text and its bytes, borrowed from the tape or parser that owns them.
@_spi(Tape) public struct JSONTokens: @unchecked Sendable {  // The owner says which threads may read.
    public let tokens: UnsafePointer<JSONToken>
    public let bytes: UnsafePointer<UInt8>

    @inlinable
    public init(_ tokens: UnsafePointer<JSONToken>, _ bytes: UnsafePointer<UInt8>) {
        self.tokens = tokens
        self.bytes = bytes
    }

    @inlinable public subscript(token: Int) -> JSONToken { tokens[token] }

    /// The token after a value and all its contents.
    @inlinable @inline(__always)
    public func after(_ token: Int) -> Int { tokens[token].kind.isContainer ? tokens[token].offset : token &+ 1 }

    /// The bytes of a string, of a key or of a big number's text.
    @inlinable @inline(__always)
    public func text(_ token: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: bytes + tokens[token].offset, count: Int(tokens[token].count))
    }

    /// A string or key.
    @inlinable @inline(__always)
    public func string(_ token: Int) -> String { String(decoding: text(token), as: UTF8.self) }

    /// The text of a number as it was written.
    public func numberText(_ token: Int) -> UnsafeBufferPointer<UInt8> {
        let this = tokens[token]
        if this.kind == .bigInteger || this.kind == .bigDecimal { return text(token) }
        let start = bytes + Int(this.count)
        var end = start
        while true {
            switch end.pointee {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                end += 1
            default: return UnsafeBufferPointer(start: start, count: end - start)
            }
        }
    }

    /// Whether a key, which must not be replaced, consists of these bytes.
    @inlinable @inline(__always)
    public func key(_ token: Int, equals key: UnsafeBufferPointer<UInt8>) -> Bool {
        guard tokens[token].kind == .key, Int(tokens[token].count) == key.count else { return false }
        return areEqual(text(token), key)
    }

    func keysAreEqual(_ left: Int, _ right: Int) -> Bool { key(left, equals: text(right)) }

    /// Compares bytes; the counts must be equal.
    @inlinable @inline(__always)
    func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
        let count = left.count
        var offset = 0
        while offset &+ 8 <= count {
            guard
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset &+= 8
        }
        while offset < count {
            guard left[offset] == right[offset] else { return false }
            offset &+= 1
        }
        return true
    }

    /// Calls `body` with the keys of an object, each once, in their order.
    @inlinable
    public func forEachKey(of object: Int, _ body: (Int) throws -> Void) rethrows {
        var key = object &+ 1
        let end = tokens[object].offset
        while key < end {
            if tokens[key].kind == .key { try body(key) }
            key = after(key &+ 1)
        }
    }
}

@_spi(Tape) extension JSONTokens {
    /// A value with its contents. Recursive: the depth limit of the parser bounds the recursion.
    public func value(_ token: Int) -> JSONValue {
        let this = tokens[token]
        switch this.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .integer, .decimal, .bigInteger, .bigDecimal: return .number(number(token))
        case .string, .key, .replacedKey: return .string(string(token))
        case .array: return array(token)
        case .object: return object(token)
        }
    }

    /// A number with its text.
    @inline(never)
    public func number(_ token: Int) -> JSONNumber {
        let this = tokens[token]
        let isPlain = this.kind == .integer && this.detail & JSONToken.hasFraction == 0
        // The text of an integer is its digits, except -0.
        if isPlain, this.payload != 0 || bytes[Int(this.count)] != UInt8(ascii: "-") {
            return JSONNumber(storage: .integer(this.integer))
        }
        return JSONNumber(storage: .text(String(decoding: numberText(token), as: UTF8.self)))
    }

    @inline(never)
    private func array(_ token: Int) -> JSONValue {
        var elements: [JSONValue] = []
        elements.reserveCapacity(Int(tokens[token].count))
        var element = token &+ 1
        for _ in 0..<tokens[token].count {
            elements.append(value(element))
            element = after(element)
        }
        return .array(elements)
    }

    @inline(never)
    private func object(_ token: Int) -> JSONValue {
        let this = tokens[token]
        var members: [JSONObject.Element] = []
        members.reserveCapacity(Int(this.count))
        var key = token &+ 1
        let end = this.offset
        while key < end {
            members.append((string(key), value(key &+ 1)))
            key = after(key &+ 1)
        }
        let isUnique = this.detail & JSONToken.hasReplacedKeys == 0
        return .object(isUnique ? JSONObject(unique: members) : JSONObject(members.lazy.map { ($0.key, $0.value) }))
    }
}
