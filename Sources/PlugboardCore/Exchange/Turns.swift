import PlugboardKit

/// The turns of an exchange: which plugins have let its head pass, and what they keep until it is over.
struct Turns {
    /// A bit a slot.
    private(set) var opened: UInt64 = 0
    private var states: [State?] = []

    struct State {
        let pointer: UnsafeMutableRawPointer
        let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    }

    func isOpen(_ slot: Slot) -> Bool { opened & slot.bit != 0 }

    /// Opens the turns of all slots before `end` that take part.
    mutating func open(upTo end: Int, skipping skipped: UInt64) {
        opened |= .slots(before: end) & ~skipped
    }

    func state(_ slot: Slot) -> UnsafeMutableRawPointer? {
        slot.index < states.count ? states[slot.index]?.pointer : nil
    }

    /// Returns what was there, for the caller to release: its release function is a plugin's, which may look at its state.
    fileprivate mutating func replaceState(of slot: Slot, by state: State?) -> State? {
        if state == nil && slot.index >= states.count { return nil }
        while states.count <= slot.index { states.append(nil) }
        defer { states[slot.index] = state }
        return states[slot.index]
    }
}

extension ExchangeCore {
    /// What a plugin keeps for its turn; what was there is released.
    func setTurnState(_ state: Turns.State?, of slot: Slot) {
        free(turns.replaceState(of: slot, by: state), of: slot.index)
    }

    /// What a plugin keeps for the whole exchange; what was there is released.
    func setExchangeState(_ state: Turns.State?, of slot: Slot) {
        let old = states[slot.index]
        states[slot.index] = state
        free(old, of: slot.index)
    }

    func freeExchangeStates() {
        let kept = states
        states = [:]
        for (index, state) in kept { free(state, of: index) }
    }

    private func free(_ state: Turns.State?, of index: Int) {
        guard let state, let release = state.release else { return }
        core.calling(index, .release) { release(state.pointer) }
    }

    /// Lets go of what a plugin set for a turn that its verdict did not open.
    func dropUnopenedState(of slot: Slot) {
        if !turns.isOpen(slot) { setTurnState(nil, of: slot) }
    }
}

extension Turns {
    /// Closes the open turns of all slots further in than `limit`, innermost first, each once, and releases what is
    /// kept there, also for a turn that a plugin has not opened yet, as one that waits.
    ///
    /// Plugins are called, so the turns are taken from the exchange one by one.
    func close(inside limit: Int, _ outcome: Outcome, _ exchange: ExchangeCore) {
        if opened != 0 {
            for slot in exchange.pipeline.closeSlots {
                guard slot.index > limit else { break }
                guard exchange.turns.isOpen(slot) else { continue }
                exchange.turns.opened &= ~slot.bit
                exchange.close(slot, outcome)
            }
            exchange.turns.opened &= .slots(before: limit + 1)
        }
        for index in stride(from: exchange.turns.states.count - 1, to: max(limit, -1), by: -1) {
            exchange.setTurnState(nil, of: exchange.pipeline.slots[index])
        }
    }
}
