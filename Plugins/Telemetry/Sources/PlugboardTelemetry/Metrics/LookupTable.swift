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
    private let rest = Mutex<[Int: [Value]]>([:])

    init() {
        slots = .allocate(capacity: Self.slotCount)
        for index in 0..<Self.slotCount { (slots + index).initialize(to: Atomic(nil)) }
    }

    deinit {
        for index in 0..<Self.slotCount { slots[index].load(ordering: .relaxed)?.release() }
        slots.deallocate()
    }

    /// - Parameters:
    ///   - hash: Of the key, equal for equal keys.
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
        if let known = rest.withLock({ $0[hash]?.first(where: isWanted) }) { return known }
        let made = make()
        let slot = slots + (hash & (Self.slotCount - 1))
        let kept = Unmanaged.passRetained(made)
        if slot.pointee.compareExchange(expected: nil, desired: kept, ordering: .acquiringAndReleasing).exchanged {
            return made
        }
        kept.release()
        rest.withLock { if $0.count < Self.limit { $0[hash, default: []].append(made) } }
        return made
    }
}

/// A hash that is cheaper than Swift's, for keys that are compared anyway (FNV-1a).
struct KeyHash {
    private(set) var value = 0x1_0000_0000_01B3

    @inline(__always)
    mutating func add(_ part: Int) { value = (value ^ part) &* 0x100_0000_01B3 }

    @inline(__always)
    mutating func add(_ text: String) {
        add(text.utf8.count)
        // Other texts of this length are rare.
        if let last = text.utf8.last { add(Int(last)) }
    }
}
