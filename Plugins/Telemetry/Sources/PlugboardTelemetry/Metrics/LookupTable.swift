import Synchronization

/// Objects that are made when they are asked for first. The first ones are found without a lock, because each request
/// asks on its loop. [any]
///
/// Sendable because the slots are atomic, what they refer to stays until the table goes, and the rest is under a lock.
final class LookupTable<Value: AnyObject & Sendable>: @unchecked Sendable {
    private static var slotCount: Int { 64 }
    /// The most objects beside those in slots; further ones are made at each call.
    private static var limit: Int { 1000 }

    private let slots: UnsafeMutablePointer<Atomic<Unmanaged<Value>?>>
    private let rest = Mutex(Rest())

    private struct Rest {
        /// The values by the hash of their keys.
        var values: [Int: [Value]] = [:]
        /// The number of all values.
        var count = 0
    }

    init() {
        slots = .allocate(capacity: Self.slotCount)
        for index in 0..<Self.slotCount { (slots + index).initialize(to: Atomic(nil)) }
    }

    deinit {
        for index in 0..<Self.slotCount { slots[index].load(ordering: .relaxed)?.release() }
        slots.deallocate()
    }

    /// - Parameters:
    ///   - hash: The key's hash; equal keys have equal ones.
    ///   - isWanted: Whether an object has the key.
    @inline(__always)
    func value(_ hash: Int, where isWanted: (Value) -> Bool, orMake make: () -> Value) -> Value {
        if let known = slots[hash & (Self.slotCount - 1)].load(ordering: .acquiring)?.takeUnretainedValue(),
            isWanted(known)
        {
            return known
        }
        return other(hash, where: isWanted, orMake: make)
    }

    @inline(never)
    private func other(_ hash: Int, where isWanted: (Value) -> Bool, orMake make: () -> Value) -> Value {
        if let known = rest.withLock({ $0.values[hash]?.first(where: isWanted) }) { return known }
        let made = make()
        let slot = slots + (hash & (Self.slotCount - 1))
        let kept = Unmanaged.passRetained(made)
        if slot.pointee.compareExchange(expected: nil, desired: kept, ordering: .acquiringAndReleasing).exchanged {
            return made
        }
        kept.release()
        return rest.withLock { rest in
            // Another thread may have made it meanwhile.
            if let known = rest.values[hash]?.first(where: isWanted) { return known }
            if rest.count < Self.limit {
                rest.values[hash, default: []].append(made)
                rest.count += 1
            }
            return made
        }
    }
}

/// A hash that is cheaper than Swift's, for keys that are compared anyway: words are multiplied, and the two halves of
/// the product combined.
///
/// The seed is random, so that a server cannot choose many keys that have the same hash.
struct KeyHash {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    var value: Int { Int(truncatingIfNeeded: state) }

    @inline(__always)
    mutating func add(_ word: UInt64) {
        let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        state = product.high ^ product.low
    }

    @inline(__always)
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset &+ 8 <= bytes.count {
            add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset &+= 8
        }
        // At most seven bytes follow, and the count in the eighth tells apart where a text ends.
        var rest = UInt64(truncatingIfNeeded: bytes.count)
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset &+= 1
        }
        add(rest)
    }

    @inline(__always)
    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }
}
