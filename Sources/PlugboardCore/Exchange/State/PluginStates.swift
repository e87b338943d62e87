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

    /// The states of the plugins, by slot. The first that is set needs no memory of its own: most exchanges have one.
    private struct States {
        private var first: (slot: Int, state: State)?
        private var others: [State?] = []

        /// One past the innermost slot.
        var count: Int { max(first.map { $0.slot + 1 } ?? 0, others.count) }

        subscript(slot: Int) -> State? {
            get {
                if let first, first.slot == slot { return first.state }
                return slot < others.count ? others[slot] : nil
            }
            set {
                if first.map({ $0.slot == slot }) ?? (others.isEmpty && newValue != nil) {
                    first = newValue.map { (slot, $0) }
                } else if newValue != nil || slot < others.count {
                    while others.count <= slot { others.append(nil) }
                    others[slot] = newValue
                }
            }
        }
    }

    private var ofTurns = States()
    private var ofExchange = States()

    /// One past the innermost slot that has kept a state for its turn.
    var turnCount: Int { ofTurns.count }

    func ofTurn(_ slot: Int) -> UnsafeMutableRawPointer? { ofTurns[slot]?.pointer }

    func ofExchange(_ slot: Int) -> UnsafeMutableRawPointer? { ofExchange[slot]?.pointer }

    /// - Returns: The old state.
    mutating func setTurn(_ state: State?, of slot: Int) -> State? {
        defer { ofTurns[slot] = state }
        return ofTurns[slot]
    }

    /// - Returns: The old state.
    mutating func setExchange(_ state: State?, of slot: Int) -> State? {
        defer { ofExchange[slot] = state }
        return ofExchange[slot]
    }

    /// Takes out the outermost state that is kept for the whole exchange, with its slot.
    mutating func takeExchangeState() -> (slot: Int, state: State)? {
        for slot in 0..<ofExchange.count {
            if let state = setExchange(nil, of: slot) { return (slot, state) }
        }
        return nil
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
        while let (slot, state) = states.takeExchangeState() { release(state, of: slot) }
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
