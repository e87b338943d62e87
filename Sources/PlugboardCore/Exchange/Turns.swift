import PlugboardKit

/// The turns of an exchange: which plugins have let its head pass, and what they keep until it is over.
struct Turns {
    /// A bit a place.
    private(set) var opened: UInt64 = 0
    private var states: [State?] = []

    struct State {
        let pointer: UnsafeMutableRawPointer
        let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    }

    func isOpen(_ place: Place) -> Bool { opened & place.bit != 0 }

    /// Opens the turns of all places before `end` that take part.
    mutating func open(upTo end: Int, skipping skipped: UInt64) {
        opened |= .places(before: end) & ~skipped
    }

    func state(_ place: Place) -> UnsafeMutableRawPointer? {
        place.index < states.count ? states[place.index]?.pointer : nil
    }

    /// Returns what was there, for the caller to release: its release function is a plugin's, which may look at its state.
    fileprivate mutating func replaceState(of place: Place, by state: State?) -> State? {
        if state == nil && place.index >= states.count { return nil }
        while states.count <= place.index { states.append(nil) }
        defer { states[place.index] = state }
        return states[place.index]
    }
}

extension Exchange {
    /// What a plugin keeps for its turn; what was there is released.
    func setTurnState(_ state: Turns.State?, of place: Place) {
        free(turns.replaceState(of: place, by: state), of: place.index)
    }

    /// What a plugin keeps for the whole exchange; what was there is released.
    func setExchangeState(_ state: Turns.State?, of place: Place) {
        let old = states[place.index]
        states[place.index] = state
        free(old, of: place.index)
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
    func dropUnopenedState(of place: Place) {
        if !turns.isOpen(place) { setTurnState(nil, of: place) }
    }
}

extension Turns {
    /// Closes the open turns of all places further in than `limit`, innermost first, each once, and releases what is
    /// kept there, also for a turn that a plugin has not opened yet, as one that waits.
    ///
    /// Plugins are called, so the turns are taken from the exchange one by one.
    func close(inside limit: Int, _ outcome: Outcome, _ exchange: Exchange) {
        if opened != 0 {
            for place in exchange.pipeline.closePlaces {
                guard place.index > limit else { break }
                guard exchange.turns.isOpen(place) else { continue }
                exchange.turns.opened &= ~place.bit
                exchange.close(place, outcome)
            }
            exchange.turns.opened &= .places(before: limit + 1)
        }
        for index in stride(from: exchange.turns.states.count - 1, to: max(limit, -1), by: -1) {
            exchange.setTurnState(nil, of: exchange.pipeline.places[index])
        }
    }
}
