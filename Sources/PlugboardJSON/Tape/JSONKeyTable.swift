/// The keys of a large object in a hash table, so that no choice of keys makes a look-up slow.
@_spi(Tape) public struct JSONKeyTable {
    /// Objects with more members use a table.
    @inlinable public static var threshold: Int { 24 }

    private let tokens: JSONTokens
    /// The tokens of the keys, each at the place of its hash or after it; 0 in free places. The number of places is
    /// a power of two, and at most half of them are used.
    private var places: [UInt32]

    /// Creates a table without keys, which must not outlive the tokens.
    init(memberCount: Int, _ tokens: JSONTokens) {
        self.tokens = tokens
        var size = 64
        while size < memberCount * 2 { size *= 2 }
        places = Array(repeating: 0, count: size)
    }

    /// The keys of an object, each once.
    public init(of object: Int, _ tokens: JSONTokens) {
        self.init(memberCount: Int(tokens[object].count), tokens)
        tokens.forEachKey(of: object) { _ = insert($0) }
    }

    /// Inserts a key, and returns the equal key that it replaces.
    mutating func insert(_ key: Int) -> Int? {
        let place = place(of: tokens.text(key))
        let earlier = places[place]
        places[place] = UInt32(truncatingIfNeeded: key)
        return earlier == 0 ? nil : Int(earlier)
    }

    /// The token of the key with this name. Nil if the object has no such key.
    public func token(of key: UnsafeBufferPointer<UInt8>) -> Int? {
        let token = places[place(of: key)]
        return token == 0 ? nil : Int(token)
    }

    /// The place of a key, or the free place for it.
    private func place(of key: UnsafeBufferPointer<UInt8>) -> Int {
        // Does not use the hash of the token, which is fast but does not protect against chosen keys.
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        var place = hasher.finalize() & (places.count - 1)
        while places[place] != 0, !tokens.key(Int(places[place]), equals: key) {
            place = (place + 1) & (places.count - 1)
        }
        return place
    }
}

/// A fast hash of keys, with a seed that differs between processes.
@_spi(Tape) public enum JSONKeyHash {
    /// The seed of this process.
    public static let processSeed: UInt64 = UInt64.random(in: .min ... .max)

    /// Eight bytes after the text must be readable.
    @inlinable @inline(__always)
    public static func hash(_ text: UnsafePointer<UInt8>, _ count: Int, seed: UInt64) -> UInt32 {
        let raw = UnsafeRawPointer(text)
        var hash = seed ^ UInt64(truncatingIfNeeded: count) &* 0xE703_7ED1_A0B4_28DB
        var offset = 0
        while offset &+ 8 <= count {
            hash = mix(hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset &+= 8
        }
        let rest = count &- offset
        if rest > 0 {
            let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            hash = mix(hash ^ (word & ((1 &<< UInt64(truncatingIfNeeded: rest &* 8)) &- 1)))
        }
        return UInt32(truncatingIfNeeded: hash ^ (hash &>> 32))
    }

    @inlinable @inline(__always)
    static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return product.high ^ product.low
    }
}
