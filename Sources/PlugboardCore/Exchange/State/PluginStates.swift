import PlugboardBorder

/// What plugins keep for a turn, or for the whole exchange.
///
/// Nothing here calls a plugin: states that are replaced are returned, and the caller releases them.
struct PluginStates {
    /// A plugin's pointer, and the function that releases it.
    struct State {
        let pointer: UnsafeMutableRawPointer
        let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    }

    // The states of the plugins, by slot.
    private var ofTurns: [State?] = []
    private var ofExchange: [State?] = []

    /// One past the innermost slot that has kept a state for its turn.
    var turnCount: Int { ofTurns.count }

    var hasExchangeStates: Bool { !ofExchange.isEmpty }

    func ofTurn(_ slot: Int) -> UnsafeMutableRawPointer? { slot < ofTurns.count ? ofTurns[slot]?.pointer : nil }

    func ofExchange(_ slot: Int) -> UnsafeMutableRawPointer? {
        slot < ofExchange.count ? ofExchange[slot]?.pointer : nil
    }

    /// - Returns: The old state.
    mutating func setTurn(_ state: State?, of slot: Int) -> State? { PluginStates.set(&ofTurns, state, slot) }

    /// - Returns: The old state.
    mutating func setExchange(_ state: State?, of slot: Int) -> State? { PluginStates.set(&ofExchange, state, slot) }

    private static func set(_ states: inout [State?], _ state: State?, _ slot: Int) -> State? {
        if state == nil && slot >= states.count { return nil }
        while states.count <= slot { states.append(nil) }
        defer { states[slot] = state }
        return states[slot]
    }

    /// Takes out what is kept for the whole exchange, by slot.
    mutating func takeExchangeStates() -> [State?] {
        defer { ofExchange = [] }
        return ofExchange
    }
}

extension ExchangeCore {
    /// What the plugin that is called keeps for its turn.
    @inline(__always)
    var turnStateOfCaller: UnsafeMutableRawPointer? { frame.slotIndex.flatMap { states.ofTurn($0) } }

    /// What the plugin that is called keeps for the whole exchange.
    @inline(__always)
    var exchangeStateOfCaller: UnsafeMutableRawPointer? { frame.slotIndex.flatMap { states.ofExchange($0) } }

    /// Sets what a plugin keeps for its turn; the old state is released.
    func setTurnState(_ state: PluginStates.State?, of slot: Int) {
        release(states.setTurn(state, of: slot), of: slot)
    }

    /// Sets what a plugin keeps for the whole exchange; the old state is released.
    func setExchangeState(_ state: PluginStates.State?, of slot: Int) {
        release(states.setExchange(state, of: slot), of: slot)
    }

    /// Releases the states of the exchange, because it is over.
    func releaseExchangeStates() {
        guard states.hasExchangeStates else { return }
        for (slot, state) in states.takeExchangeStates().enumerated() { release(state, of: slot) }
    }

    private func release(_ state: PluginStates.State?, of slot: Int) {
        guard let state, let release = state.release else { return }
        home.containment.call(slot, .release) { release(state.pointer) }
    }

    /// Closes the open turns further in than `limit`, innermost first, each once, and then releases what is kept for
    /// them. A plugin that waits may keep a state before its turn is open: that is released too.
    func closeTurns(inside limit: Int, _ outcome: TurnOutcome) {
        // One by one, because `onClose` may do anything that a plugin may do.
        if trace != nil || isMeasured {
            while let slot = steering.closeInnermostTurn(inside: limit, pipeline.hooks) {
                pipeline.withSlot(slot) { callClose($0, outcome) }
            }
        } else {
            let (exchange, callees) = (pointer, pipeline.tables.close.callees)
            inRound(.onClose) { round, outer in
                while let slot = steering.closeInnermostTurn(inside: limit, pipeline.hooks) {
                    let callee = callees[slot]
                    begin(callee, round)
                    callee.function(callee.instance, exchange, outcome.rawValue)
                    clearViews(after: outer)
                }
            }
        }
        for slot in stride(from: states.turnCount - 1, to: limit, by: -1) { setTurnState(nil, of: slot) }
    }
}
