@_spi(Tape) import PlugboardJSON
import PlugboardSystem

/// Equality of values by the data model of JSON Schema: numbers by value, objects in any order.
extension JSONTokens {
    /// Nil if the stack would grow below `lowest`.
    @inline(__always)
    func isEqual(_ token: Int, to other: Int, in others: JSONTokens, above lowest: UInt) -> Bool? {
        let (a, b) = (self[token], others[other])
        // A key is treated as a string.
        let kind: JSONToken.Kind = a.kind == .key ? .string : a.kind
        guard kind == (b.kind == .key ? .string : b.kind) else { return false }
        switch kind {
        case .null, .true, .false: return true
        case .integer: return a.payload == b.payload
        case .decimal: return a.payload == b.payload && a.exponent == b.exponent
        case .string, .key, .replacedKey:
            return a.count == b.count && memcmp(bytes + a.offset, others.bytes + b.offset, Int(a.count)) == 0
        case .bigInteger, .bigDecimal: return number(token) == others.number(other)
        case .array, .object:
            guard a.count == b.count else { return false }
            guard StackBound.position > lowest else { return nil }
            return kind == .array
                ? isEqualArray(token, other, others, lowest) : isEqualObject(token, other, others, lowest)
        }
    }

    @inline(never)
    private func isEqualArray(_ token: Int, _ other: Int, _ others: JSONTokens, _ lowest: UInt) -> Bool? {
        var (first, second) = (token + 1, other + 1)
        for _ in 0..<self[token].count {
            let isSame = isEqual(first, to: second, in: others, above: lowest)
            guard isSame == true else { return isSame }
            first = after(first)
            second = others.after(second)
        }
        return true
    }

    @inline(never)
    private func isEqualObject(_ token: Int, _ other: Int, _ others: JSONTokens, _ lowest: UInt) -> Bool? {
        if self[token].count > 32 { return isEqualSorted(token, other, others, lowest) }
        let end = self[token].offset
        var key = token + 1
        while key < end {
            if self[key].kind == .key {
                guard let found = others.find(self[key], bytes, in: other) else { return false }
                let isSame = isEqual(key + 1, to: found + 1, in: others, above: lowest)
                guard isSame == true else { return isSame }
            }
            key = after(key + 1)
        }
        return true
    }

    private func find(_ name: JSONToken, _ nameBytes: UnsafePointer<UInt8>, in object: Int) -> Int? {
        let end = self[object].offset
        var key = object + 1
        while key < end {
            let found = self[key]
            if found.kind == .key, found.hash == name.hash, found.count == name.count,
                memcmp(bytes + found.offset, nameBytes + name.offset, Int(name.count)) == 0
            {
                return key
            }
            key = after(key + 1)
        }
        return nil
    }

    /// Compares large objects by their sorted keys, to avoid quadratic time.
    private func isEqualSorted(_ token: Int, _ other: Int, _ others: JSONTokens, _ lowest: UInt) -> Bool? {
        for (a, b) in zip(sortedKeys(of: token), others.sortedKeys(of: other)) {
            let (x, y) = (self[a], others[b])
            guard x.hash == y.hash, x.count == y.count,
                memcmp(bytes + x.offset, others.bytes + y.offset, Int(x.count)) == 0
            else { return false }
            let isSame = isEqual(a + 1, to: b + 1, in: others, above: lowest)
            guard isSame == true else { return isSame }
        }
        return true
    }

    private func sortedKeys(of object: Int) -> [Int] {
        var keys: [Int] = []
        forEachKey(of: object) { keys.append($0) }
        keys.sort { left, right in
            let (a, b) = (self[left], self[right])
            if a.hash != b.hash { return a.hash < b.hash }
            if a.count != b.count { return a.count < b.count }
            return memcmp(bytes + a.offset, bytes + b.offset, Int(a.count)) < 0
        }
        return keys
    }

    /// A hash that is equal for equal values. Values that are nested deeper than the stack allows are ignored.
    func hash(_ token: Int, above lowest: UInt) -> UInt64 {
        let value = self[token]
        if value.kind.isContainer, StackBound.position <= lowest { return 19 }
        switch value.kind {
        case .null, .true, .false: return mix(UInt64(value.kind.rawValue) &+ 1)
        case .integer, .decimal: return mix(value.payload &+ UInt64(truncatingIfNeeded: Int(value.exponent)) &* 31 &+ 7)
        case .bigInteger, .bigDecimal:
            let text = DecimalText(text(token))
            // Uses all digits, so that no document can choose numbers that collide.
            var sum = UInt64(truncatingIfNeeded: text.exponent &* 31 &+ (text.isNegative ? 1 : 0))
            for position in text.first..<text.end where text.text[position] != UInt8(ascii: ".") {
                sum = mix(sum &+ UInt64(text.text[position]))
            }
            return sum
        case .string, .key, .replacedKey:
            let hash = JSONKeyHash.hash(bytes + value.offset, Int(value.count), seed: JSONKeyHash.processSeed)
            return mix(UInt64(hash) &+ 11)
        case .array:
            var sum: UInt64 = 13
            var element = token + 1
            for _ in 0..<value.count {
                sum = mix(sum &+ hash(element, above: lowest))
                element = after(element)
            }
            return sum
        case .object:
            var sum: UInt64 = 17
            // A sum does not depend on the order of its terms.
            forEachKey(of: token) { sum &+= mix(UInt64(self[$0].hash) ^ hash($0 + 1, above: lowest)) }
            return mix(sum)
        }
    }

    private func mix(_ value: UInt64) -> UInt64 {
        let product = (value ^ JSONKeyHash.processSeed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
