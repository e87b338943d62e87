import PlugboardJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Equality of values by the data model of JSON Schema: numbers by value, objects in any order.
enum ValueEquality {
    /// Nil if the stack would grow below `lowest`.
    @inline(__always)
    static func isEqual(
        _ leftTokens: UnsafePointer<Token>, _ leftBytes: UnsafePointer<UInt8>, _ left: Int,
        _ rightTokens: UnsafePointer<Token>, _ rightBytes: UnsafePointer<UInt8>, _ right: Int, _ lowest: UInt
    ) -> Bool? {
        let a = leftTokens[left]
        let b = rightTokens[right]
        // A key is a string.
        let kind: Token.Kind = a.kind == .key ? .string : a.kind
        guard kind == (b.kind == .key ? .string : b.kind) else { return false }
        switch kind {
        case .null, .true, .false: return true
        case .integer: return a.payload == b.payload
        case .decimal: return a.payload == b.payload && a.exponent == b.exponent
        case .string, .key, .replacedKey:
            return a.count == b.count && memcmp(leftBytes + a.offset, rightBytes + b.offset, Int(a.count)) == 0
        case .bigInteger, .bigDecimal: return number(leftBytes, a) == number(rightBytes, b)
        case .array, .object:
            guard a.count == b.count else { return false }
            guard StackBound.position > lowest else { return nil }
            return kind == .array
                ? isEqualArray(leftTokens, leftBytes, left, rightTokens, rightBytes, right, lowest)
                : isEqualObject(leftTokens, leftBytes, left, rightTokens, rightBytes, right, lowest)
        }
    }

    static func number(_ bytes: UnsafePointer<UInt8>, _ token: Token) -> JSONNumber? {
        switch token.kind {
        case .integer: return JSONNumber(token.integer)
        case .decimal: return JSONNumber(text: "\(token.integer)e\(token.exponent)")
        default:
            let buffer = UnsafeBufferPointer(start: bytes + token.offset, count: Int(token.count))
            return JSONNumber(text: String(decoding: buffer, as: UTF8.self))
        }
    }

    static func after(_ tokens: UnsafePointer<Token>, _ token: Int) -> Int {
        tokens[token].kind.isContainer ? tokens[token].offset : token + 1
    }

    @inline(never)
    private static func isEqualArray(
        _ leftTokens: UnsafePointer<Token>, _ leftBytes: UnsafePointer<UInt8>, _ left: Int,
        _ rightTokens: UnsafePointer<Token>, _ rightBytes: UnsafePointer<UInt8>, _ right: Int, _ lowest: UInt
    ) -> Bool? {
        var (first, second) = (left + 1, right + 1)
        for _ in 0..<leftTokens[left].count {
            let isSame = isEqual(leftTokens, leftBytes, first, rightTokens, rightBytes, second, lowest)
            guard isSame == true else { return isSame }
            first = after(leftTokens, first)
            second = after(rightTokens, second)
        }
        return true
    }

    @inline(never)
    private static func isEqualObject(
        _ leftTokens: UnsafePointer<Token>, _ leftBytes: UnsafePointer<UInt8>, _ left: Int,
        _ rightTokens: UnsafePointer<Token>, _ rightBytes: UnsafePointer<UInt8>, _ right: Int, _ lowest: UInt
    ) -> Bool? {
        if leftTokens[left].count > 32 {
            return isEqualSorted(leftTokens, leftBytes, left, rightTokens, rightBytes, right, lowest)
        }
        let end = leftTokens[left].offset
        var key = left + 1
        while key < end {
            if leftTokens[key].kind == .key {
                guard let other = find(leftTokens[key], leftBytes, rightTokens, rightBytes, right) else { return false }
                let isSame = isEqual(leftTokens, leftBytes, key + 1, rightTokens, rightBytes, other + 1, lowest)
                guard isSame == true else { return isSame }
            }
            key = after(leftTokens, key + 1)
        }
        return true
    }

    private static func find(
        _ name: Token, _ nameBytes: UnsafePointer<UInt8>, _ tokens: UnsafePointer<Token>,
        _ bytes: UnsafePointer<UInt8>, _ object: Int
    ) -> Int? {
        let end = tokens[object].offset
        var key = object + 1
        while key < end {
            let found = tokens[key]
            if found.kind == .key, found.hash == name.hash, found.count == name.count,
                memcmp(bytes + found.offset, nameBytes + name.offset, Int(name.count)) == 0
            {
                return key
            }
            key = after(tokens, key + 1)
        }
        return nil
    }

    /// Compares large objects by their sorted keys, so that the time is not quadratic.
    private static func isEqualSorted(
        _ leftTokens: UnsafePointer<Token>, _ leftBytes: UnsafePointer<UInt8>, _ left: Int,
        _ rightTokens: UnsafePointer<Token>, _ rightBytes: UnsafePointer<UInt8>, _ right: Int, _ lowest: UInt
    ) -> Bool? {
        let first = sortedKeys(leftTokens, leftBytes, left)
        let second = sortedKeys(rightTokens, rightBytes, right)
        for (a, b) in zip(first, second) {
            let (x, y) = (leftTokens[a], rightTokens[b])
            guard x.hash == y.hash, x.count == y.count,
                memcmp(leftBytes + x.offset, rightBytes + y.offset, Int(x.count)) == 0
            else { return false }
            let isSame = isEqual(leftTokens, leftBytes, a + 1, rightTokens, rightBytes, b + 1, lowest)
            guard isSame == true else { return isSame }
        }
        return true
    }

    private static func sortedKeys(
        _ tokens: UnsafePointer<Token>, _ bytes: UnsafePointer<UInt8>, _ object: Int
    ) -> [Int] {
        var keys: [Int] = []
        var key = object + 1
        while key < tokens[object].offset {
            if tokens[key].kind == .key { keys.append(key) }
            key = after(tokens, key + 1)
        }
        keys.sort { left, right in
            let (a, b) = (tokens[left], tokens[right])
            if a.hash != b.hash { return a.hash < b.hash }
            if a.count != b.count { return a.count < b.count }
            return memcmp(bytes + a.offset, bytes + b.offset, Int(a.count)) < 0
        }
        return keys
    }

    /// A hash that is equal for equal values. What lies deeper than the stack allows is left out.
    static func hash(
        _ tokens: UnsafePointer<Token>, _ bytes: UnsafePointer<UInt8>, _ token: Int, _ lowest: UInt
    ) -> UInt64 {
        let value = tokens[token]
        if value.kind.isContainer, StackBound.position <= lowest { return 19 }
        switch value.kind {
        case .null, .true, .false: return mix(UInt64(value.kind.rawValue) &+ 1)
        case .integer, .decimal: return mix(value.payload &+ UInt64(truncatingIfNeeded: Int(value.exponent)) &* 31 &+ 7)
        case .bigInteger, .bigDecimal:
            let text = DecimalText(UnsafeBufferPointer(start: bytes + value.offset, count: Int(value.count)))
            // All digits, so that no document can choose numbers that collide.
            var sum = UInt64(truncatingIfNeeded: text.exponent &* 31 &+ (text.isNegative ? 1 : 0))
            for position in text.first..<text.end where text.text[position] != UInt8(ascii: ".") {
                sum = mix(sum &+ UInt64(text.text[position]))
            }
            return sum
        case .string, .key, .replacedKey:
            return mix(UInt64(KeyHash.hash(bytes + value.offset, Int(value.count), seed: KeyHash.processSeed)) &+ 11)
        case .array:
            var sum: UInt64 = 13
            var element = token + 1
            for _ in 0..<value.count {
                sum = mix(sum &+ hash(tokens, bytes, element, lowest))
                element = after(tokens, element)
            }
            return sum
        case .object:
            var sum: UInt64 = 17
            var key = token + 1
            while key < value.offset {
                if tokens[key].kind == .key {
                    // A sum does not depend on the order of its terms.
                    sum &+= mix(UInt64(tokens[key].hash) ^ hash(tokens, bytes, key + 1, lowest))
                }
                key = after(tokens, key + 1)
            }
            return mix(sum)
        }
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        let product = (value ^ KeyHash.processSeed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
