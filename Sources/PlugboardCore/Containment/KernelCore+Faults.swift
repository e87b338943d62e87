import PlugboardBorder

/// Counting faults, disabling plugins, and reporting plugins that hold the loop.
extension KernelCore {
    /// Called when the plugins are created and no exchange has begun.
    func beginContainment() {
        let slots = pipeline.slots
        if settings.measureHooks {
            let measures = HookMeasures(slots, metrics: metrics)
            for home in loops { home.containment.measure(measures) }
        }
        guard let limit = settings.hookTimeLimit, !slots.isEmpty else { return }
        watchdog = Watchdog(loops.map(\.containment.mark), limit: limit) { [weak self] call, index in
            guard let self, call.slot < slots.count else { return }
            let (id, home) = (slots[call.slot].id, loops[index])
            log.write(
                .warning, id,
                "The plugin \(id) has held the loop in \(call.hook) for more than \(DurationText(limit)): every exchange "
                    + "\(loops.count > 1 ? "of this loop " : "")waits for it. Slow work belongs in `wait`.")
            home.loop.enqueue { [weak self] in
                guard let self else { return }
                // The kernel keeps the loop.
                withExtendedLifetime(self) {
                    home.publish(
                        EventNode(.pluginStalled, [("plugin", .text(id)), ("hook", .text("\(call.hook)"))]))
                }
            }
        }
    }

    /// Counts a fault; several faults in one exchange count once. Called on the exchange's loop.
    func count(faultOf slot: Slot, in exchange: ExchangeCore) {
        guard let limit = slot.faultLimit, exchange.faulted.insert(slot.bit).inserted else { return }
        if faults.count(slot.index) == limit { disable(slot, after: limit, in: exchange) }
    }

    /// Called when an exchange ends. Plugins whose turns are still open, and that were not at fault in it, then have no
    /// faults in a row. Called on the exchange's loop.
    @inline(__always)
    func settleFaults(of exchange: ExchangeCore) {
        if !faults.isEmpty { faults.reset(exchange.steering.turns.subtracting(exchange.faulted)) }
    }

    /// Leaves a plugin out of all exchanges that begin from now on, stops its timers and commands, and cancels those
    /// of its sub-requests that have no response yet. Bodies of responses flow on, because others may read them.
    /// Called on the exchange's loop; the other loops follow soon.
    private func disable(_ slot: Slot, after faults: Int, in exchange: ExchangeCore) {
        // Exchanges that began before continue, and may have as many faults again.
        guard self.faults.disable(slot.bit) else { return }
        let cause = faults == 1 ? "a fault" : "\(faults) faults in a row"
        let error = PlugboardError(
            .pluginDisabled, "The plugin \(slot.id) is switched off until the next start, after \(cause).",
            plugin: slot.id)
        slot.disabled = error
        exchange.home.timers.stop(of: slot.index)
        exchange.home.watches.stop(of: slot.index)
        log.write(.error, slot.id, error.reason)
        exchange.report(.pluginDisabled, [("plugin", .text(slot.id)), ("faults", .integer(Int64(faults)))])
        // A hook that waits may wait for a timer that no longer fires. Done later, because this runs within the call
        // that was at fault.
        for home in loops { home.loop.enqueue { [self] in end(slot, error, on: home) } }
    }

    /// Ends the timers, waits and sub-requests of a plugin that is switched off, on one loop. [loop]
    private func end(_ slot: Slot, _ error: PlugboardError, on home: KernelLoop) {
        home.timers.stop(of: slot.index)
        home.watches.stop(of: slot.index)
        for exchange in home.underWay.all {
            exchange.endWait(at: slot)
            if exchange.family.sender == slot.index && exchange.steering.phase != .flowing {
                exchange.cancel(error)
            }
        }
    }
}
