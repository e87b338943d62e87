import Synchronization

/// Objects by keys, which are made when they are asked for first. The first ones are found without a lock, because each
/// request asks on its loop. [any]
///
/// Sendable because the slots are atomic and stay where they are, and the rest is under a lock.
final class LookupTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: @unchecked Sendable {
    private final class Entry: Sendable {
        let key: Key
        let value: Value

        init(_ key: Key, _ value: Value) { (self.key, self.value) = (key, value) }
    }

    private static var slotCount: Int { 64 }
    /// The most objects beside those in slots; further ones are made at each call.
    private static var limit: Int { 1000 }

    private let slots: UnsafeMutablePointer<AtomicLazyReference<Entry>>
    private let rest = Mutex<[Key: Value]>([:])

    init() {
        slots = .allocate(capacity: Self.slotCount)
        for index in 0..<Self.slotCount { (slots + index).initialize(to: AtomicLazyReference()) }
    }

    deinit {
        slots.deinitialize(count: Self.slotCount)
        slots.deallocate()
    }

    func value(of key: Key, _ make: () -> Value) -> Value {
        let slot = slots + (key.hashValue & (Self.slotCount - 1))
        let entry = slot.pointee.load() ?? slot.pointee.storeIfNil(Entry(key, make()))
        if entry.key == key { return entry.value }
        if let known = rest.withLock({ $0[key] }) { return known }
        let made = make()
        rest.withLock { if $0.count < Self.limit { $0[key] = made } }
        return made
    }
}
