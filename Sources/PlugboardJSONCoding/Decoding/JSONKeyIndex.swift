/// The keys of a large object in a hash table, so that no choice of keys makes looking for one slow.
struct JSONKeyIndex {
    /// Tokens of keys, 0 where there is none; a power of two of places, at most half of them used.
    private var places: [UInt32]
    /// How many keys stand again later in the object. They are marked as replaced.
    private(set) var replacedCount = 0

    init(of object: UInt32, in tape: JSONTape) {
        let members = Int(tape[object].count)
        var size = 64
        while size < members * 2 { size *= 2 }
        places = Array(repeating: 0, count: size)
        var key = object &+ 2
        for _ in 0..<members {
            let place = tape.withKey(key) { find($0, in: tape) }
            if places[place] != 0 {
                tape.tokens[Int(places[place])].kind = .replacedKey
                replacedCount += 1
            }
            places[place] = key
            key = tape.next(after: key &+ 1)
        }
    }

    /// The token of a key; nil if there is none.
    func token(of key: UnsafeBufferPointer<UInt8>, in tape: JSONTape) -> UInt32? {
        let token = places[find(key, in: tape)]
        return token == 0 ? nil : token
    }

    /// The place of a key, or the free one where it would stand.
    private func find(_ key: UnsafeBufferPointer<UInt8>, in tape: JSONTape) -> Int {
        // Seeded by chance, unlike the hash of the token.
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        var place = hasher.finalize() & (places.count - 1)
        while places[place] != 0, !tape.key(places[place], equals: key) { place = (place + 1) & (places.count - 1) }
        return place
    }
}

/// A quick hash, to tell keys of a small object apart.
enum JSONKeyHash {
    /// Eight bytes must be readable from the first on, and after the last.
    @inline(__always)
    static func hash(_ first: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
        let raw = UnsafeRawPointer(first)
        var word = UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self))
        if count < 8 {
            word &= ~(~0 << UInt64(count * 8))
        } else {
            word ^= UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)) &* 31
        }
        let product = (word ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15
        return UInt32(truncatingIfNeeded: product >> 32) | 1
    }
}

extension JSONTape {
    /// Whether the key of a token is these bytes.
    @inline(__always)
    func key(_ token: UInt32, equals key: UnsafeBufferPointer<UInt8>) -> Bool {
        let this = self[token]
        switch this.kind {
        case .string:
            guard Int(this.length) == key.count, let other = key.baseAddress else {
                return this.length == 0 && key.isEmpty
            }
            return Self.areEqual(bytes + Int(this.offset), other, key.count)
        case .escapedString:
            return withKey(token) { $0.elementsEqual(key) }
        default: return false
        }
    }

    func keysAreEqual(_ left: UInt32, _ right: UInt32) -> Bool { withKey(left) { key(right, equals: $0) } }

    /// Calls `body` with the key of a token, without its escapes.
    func withKey<Result>(_ token: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard self[token].kind != .string else { return body(content(token)) }
        var text = string(token)
        return text.withUTF8(body)
    }

    @inline(__always)
    private static func areEqual(_ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        let (left, right) = (UnsafeRawPointer(left), UnsafeRawPointer(right))
        var offset = 0
        while offset &+ 8 <= count {
            guard
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset &+= 8
        }
        while offset < count {
            guard
                left.load(fromByteOffset: offset, as: UInt8.self) == right.load(fromByteOffset: offset, as: UInt8.self)
            else { return false }
            offset &+= 1
        }
        return true
    }
}
