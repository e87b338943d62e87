import Synchronization

/// Which plugins have faults in a row, and which are disabled because of them, on all loops together. [any]
final class PluginFaults: Sendable {
    private let disabledSlots = Atomic<UInt64>(0)
    /// The slots that have faults in a row; read without the lock, written under it.
    private let faultySlots = Atomic<UInt64>(0)
    /// How many exchanges with a fault there were since the last one without, by slot.
    private let inARow = Mutex<[Int: Int]>([:])

    /// Whether no plugin has faults in a row.
    @inline(__always)
    var isEmpty: Bool { faultySlots.load(ordering: .relaxed) == 0 }

    /// The slots that were disabled.
    @inline(__always)
    var disabled: SlotSet { SlotSet(rawValue: disabledSlots.load(ordering: .relaxed)) }

    /// Returns false if it was already disabled.
    func disable(_ slot: SlotSet) -> Bool {
        disabledSlots.bitwiseOr(slot.rawValue, ordering: .relaxed).oldValue & slot.rawValue == 0
    }

    /// Counts a fault of the plugin in this slot. Returns how many there are in a row, each number once.
    func count(_ slot: Int) -> Int {
        inARow.withLock { inARow in
            inARow[slot, default: 0] += 1
            faultySlots.bitwiseOr(SlotSet(slot).rawValue, ordering: .relaxed)
            return inARow[slot, default: 0]
        }
    }

    /// Sets the faults in a row of the plugins in these slots to zero.
    func reset(_ slots: SlotSet) {
        inARow.withLock { inARow in
            for slot in inARow.keys where slots.contains(SlotSet(slot)) { inARow[slot] = nil }
            faultySlots.bitwiseAnd(~slots.rawValue, ordering: .relaxed)
        }
    }
}
