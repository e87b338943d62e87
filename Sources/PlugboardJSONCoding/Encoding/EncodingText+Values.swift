import PlugboardJSON

extension EncodingText {
    @inline(__always)
    func encode<Value: Encodable>(_ value: Value, keyStart: Int) throws {
        if try !appendKnown(value, keyStart: keyStart) { try appendOther(value, keyStart: keyStart) }
    }

    /// Appends a value of a common type, and returns false for others.
    @inline(__always)
    private func appendKnown<Value: Encodable>(_ value: Value, keyStart: Int) throws -> Bool {
        let type = Value.self
        if type == String.self {
            append(quoting: unsafeBitCast(value, to: String.self))
        } else if type == Int.self {
            append(integer: unsafeBitCast(value, to: Int.self))
        } else if type == Double.self {
            try append(unsafeBitCast(value, to: Double.self), keyStart: keyStart)
        } else if type == Bool.self {
            append(unsafeBitCast(value, to: Bool.self))
        } else {
            return try appendRare(value, keyStart: keyStart)
        }
        return true
    }

    private func appendRare<Value: Encodable>(_ value: Value, keyStart: Int) throws -> Bool {
        let type = Value.self
        if type == Int64.self {
            append(integer: unsafeBitCast(value, to: Int64.self))
        } else if type == Int32.self {
            append(integer: unsafeBitCast(value, to: Int32.self))
        } else if type == UInt64.self {
            append(integer: unsafeBitCast(value, to: UInt64.self))
        } else if type == UInt32.self {
            append(integer: unsafeBitCast(value, to: UInt32.self))
        } else if type == UInt.self {
            append(integer: unsafeBitCast(value, to: UInt.self))
        } else if type == UInt8.self {
            append(integer: unsafeBitCast(value, to: UInt8.self))
        } else if type == Float.self {
            try append(unsafeBitCast(value, to: Float.self), keyStart: keyStart)
        } else if type == [String].self {
            try appendElements(unsafeBitCast(value, to: [String].self), keyStart) { append(quoting: $0) }
        } else if type == [Int].self {
            try appendElements(unsafeBitCast(value, to: [Int].self), keyStart) { append(integer: $0) }
        } else if type == [Double].self {
            try appendElements(unsafeBitCast(value, to: [Double].self), keyStart) { try append($0, keyStart: count) }
        } else if type == Int16.self {
            append(integer: unsafeBitCast(value, to: Int16.self))
        } else if type == Int8.self {
            append(integer: unsafeBitCast(value, to: Int8.self))
        } else if type == UInt16.self {
            append(integer: unsafeBitCast(value, to: UInt16.self))
        } else if type == Int128.self {
            append(integer: unsafeBitCast(value, to: Int128.self))
        } else if type == UInt128.self {
            append(integer: unsafeBitCast(value, to: UInt128.self))
        } else if type == JSONValue.self {
            append(unsafeBitCast(value, to: JSONValue.self))
        } else if type == JSONObject.self {
            append(.object(unsafeBitCast(value, to: JSONObject.self)))
        } else if type == JSONNumber.self {
            append(.number(unsafeBitCast(value, to: JSONNumber.self)))
        } else {
            return false
        }
        return true
    }

    /// Appends elements, in a frame that gives errors their paths.
    private func appendElements<Element>(
        _ elements: [Element], _ keyStart: Int, _ append: (Element) throws -> Void
    ) throws {
        _ = enter(keyStart: keyStart)
        open(.array)
        for element in elements {
            beginPart()
            try append(element)
        }
        leave()
    }

    @inline(__always)
    private func append(_ value: some BinaryFloatingPoint & CustomStringConvertible, keyStart: Int) throws {
        guard value.isFinite else { throw notFinite(value, keyStart) }
        // The type's own text gives a Float its shortest digits.
        append(ascii: value.description)
    }

    /// The error for infinity and NaN, for a value at the end.
    @inline(never)
    private func notFinite(_ value: Any, _ keyStart: Int) -> EncodingError {
        _ = enter(keyStart: keyStart)
        let reason = "JSON has no number for infinity or NaN"
        return .invalidValue(value, .init(codingPath: path(), debugDescription: reason))
    }

    /// Appends the value that a type encodes.
    private func appendOther<Value: Encodable>(_ value: Value, keyStart: Int) throws {
        let serial = enter(keyStart: keyStart)
        guard !isTooDeep else {
            let reason = "the value is nested deeper than the limit of \(JSONValueEncoder.depthLimit)"
            throw EncodingError.invalidValue(
                Value.self, .init(codingPath: path(), debugDescription: reason))
        }
        let node = EncodingNode(self, depth: depth - 1, serial: serial)
        if !writers.isEmpty, let write = writers[ObjectIdentifier(Value.self)] {
            try write(value, node)
        } else if FoundationTypes.contains(Value.self) {
            throw EncodingError.invalidValue(
                value, .init(codingPath: path(), debugDescription: FoundationTypes.remedy(Value.self)))
        } else {
            try value.encode(to: node)
        }
        leave()
    }
}
