@_spi(Tape) import PlugboardJSON

extension DecodingNode {
    /// The value as a type. Common types are decoded directly, without their `init(from:)`.
    @inline(__always)
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == String.self { return unsafeBitCast(try string(), to: type) }
        if type == Int.self { return unsafeBitCast(try integer(Int.self), to: type) }
        if type == Double.self { return unsafeBitCast(try double(), to: type) }
        if type == Bool.self { return unsafeBitCast(try bool(), to: type) }
        return try otherValue(type)
    }

    private func otherValue<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == Int64.self { return unsafeBitCast(try integer(Int64.self), to: type) }
        if type == Int32.self { return unsafeBitCast(try integer(Int32.self), to: type) }
        if type == UInt64.self { return unsafeBitCast(try integer(UInt64.self), to: type) }
        if type == UInt32.self { return unsafeBitCast(try integer(UInt32.self), to: type) }
        if type == UInt.self { return unsafeBitCast(try integer(UInt.self), to: type) }
        if type == UInt8.self { return unsafeBitCast(try integer(UInt8.self), to: type) }
        if type == Float.self { return unsafeBitCast(try float(), to: type) }
        if type == [String].self { return unsafeBitCast(try elements { try $0.string() }, to: type) }
        if type == [Int].self { return unsafeBitCast(try elements { try $0.integer(Int.self) }, to: type) }
        if type == [Double].self { return unsafeBitCast(try elements { try $0.double() }, to: type) }
        if type == Int16.self { return unsafeBitCast(try integer(Int16.self), to: type) }
        if type == Int8.self { return unsafeBitCast(try integer(Int8.self), to: type) }
        if type == UInt16.self { return unsafeBitCast(try integer(UInt16.self), to: type) }
        if type == Int128.self { return unsafeBitCast(try integer(Int128.self), to: type) }
        if type == UInt128.self { return unsafeBitCast(try integer(UInt128.self), to: type) }
        return try decoded(type)
    }

    /// The value of a type that decodes itself.
    private func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == JSONValue.self { return unsafeBitCast(session.tokens.value(Int(token)), to: type) }
        if type == JSONObject.self {
            guard case .object(let object) = session.tokens.value(Int(token)) else {
                throw mismatch(type, "an object is expected")
            }
            return unsafeBitCast(object, to: type)
        }
        if type == JSONNumber.self {
            guard let number = session.tokens.value(Int(token)).numberValue else {
                throw mismatch(type, "a number is expected")
            }
            return unsafeBitCast(number, to: type)
        }
        do {
            let value = session.isStrict ? try session.checked { try makeChecked(type) } : try make(type)
            // An error that the type has caught is no failure.
            if session.failedPath != nil { session.failedPath = nil }
            return value
        } catch {
            throw explained(error, type)
        }
    }

    private func makeChecked<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try make(type)
        // A type that reads no keys, such as one without properties, allows no keys either.
        if kind == .object { _ = session.frame(frame, for: token, at: path) }
        return value
    }

    @inline(__always)
    private func make<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if !session.readers.isEmpty, let read = session.readers[ObjectIdentifier(type)],
            let value = try read(self) as? Value
        {
            return value
        }
        if FoundationTypes.contains(type) { throw mismatch(type, FoundationTypes.remedy(type)) }
        return try Value(from: self)
    }

    private func elements<Element>(_ element: (DecodingNode) throws -> Element) throws -> [Element] {
        guard kind == .array else { throw mismatch([Any].self, "an array is expected") }
        let (tokens, place) = (session.tokens, session.open(self))
        let count = tokens[Int(token)].count
        var elements: [Element] = []
        elements.reserveCapacity(Int(count))
        var next = Int(token) &+ 1
        for step in 0..<count {
            let node = DecodingNode(
                session: session, token: UInt32(truncatingIfNeeded: next), parent: place, step: step, frame: 0)
            elements.append(try element(node))
            next = tokens.after(next)
        }
        return elements
    }
}

extension DecodingNode {
    @inline(__always)
    func bool() throws -> Bool {
        switch kind {
        case .true: return true
        case .false: return false
        default: throw mismatch(Bool.self, "a boolean is expected")
        }
    }

    @inline(__always)
    func string() throws -> String {
        guard kind == .string else { throw mismatch(String.self, "a string is expected") }
        return session.tokens.string(Int(token))
    }

    @inline(__always)
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        let this = session.tokens[Int(token)]
        if this.kind == .integer, let integer = Integer(exactly: this.integer) { return integer }
        return try largeInteger(type)
    }

    @inline(never)
    private func largeInteger<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
        guard kind.isNumber else { throw mismatch(type, "an integer is expected") }
        let number = session.tokens.number(Int(token))
        if let integer = number.integer(type) { return integer }
        let reason =
            number.isInteger ? "the number does not fit in \(type)" : "an integer is expected, not a fraction"
        throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: reason))
    }

    @inline(__always)
    func double() throws -> Double {
        guard kind.isNumber else { throw mismatch(Double.self, "a number is expected") }
        let double = session.tokens.double(Int(token))
        guard double.isFinite else { throw outOfRange(Double.self) }
        return double
    }

    func float() throws -> Float {
        guard kind.isNumber else { throw mismatch(Float.self, "a number is expected") }
        // Not converted through Double, because that would round twice.
        let text = String(decoding: session.tokens.numberText(Int(token)), as: UTF8.self)
        let float = Float(text) ?? Float(session.tokens.number(Int(token)).double)
        guard float.isFinite else { throw outOfRange(Float.self) }
        return float
    }

    @inline(never)
    private func outOfRange(_ type: Any.Type) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: "the number does not fit in \(type)"))
    }
}
