import PlugboardKit

/// Counting faults, switching plugins off, and reporting plugins that block the loop.
extension KernelCore {
    /// The plugins are created, and no exchange has begun.
    func beginContainment() {
        let slots = pipeline.slots
        if settings.measuresHooks { containment.measure(slots, counters: counters) }
        guard let limit = settings.hookLimit, !slots.isEmpty else { return }
        containment.watch(limit: limit) { [weak self] call in
            guard let self, call.slot < slots.count else { return }
            let id = slots[call.slot].id
            log.write(
                .warning, id,
                "The plugin \(id) has held the loop in \(call.hook) for more than \(limit.configured): every exchange "
                    + "waits for it. Slow work belongs in `wait`.")
            loop.enqueue { [weak self] in
                self?.publish(
                    EventNode(.pluginStalled) { [("plugin", .text(id)), ("hook", .text("\(call.hook)"))] })
            }
        }
    }

    /// Counts a fault; several faults in one exchange count once. [loop]
    func count(faultOf slot: Slot, in exchange: ExchangeCore) {
        guard let limit = slot.faultLimit, exchange.faulted.insert(slot.bit).inserted else { return }
        faulty.insert(slot.bit)
        slot.faultsInARow += 1
        if slot.faultsInARow == limit { disable(slot, after: limit, in: exchange) }
    }

    /// An exchange ends: plugins whose turns are still open, and that were not at fault in it, have no faults in a row
    /// any more. [loop]
    @inline(__always)
    func settleFaults(of exchange: ExchangeCore) {
        if !faulty.isEmpty { forgive(faulty.intersection(exchange.steering.turns).subtracting(exchange.faulted)) }
    }

    private func forgive(_ slots: SlotSet) {
        for slot in pipeline.slots where slots.contains(slot.bit) { slot.faultsInARow = 0 }
        faulty.subtract(slots)
    }

    /// Leaves a plugin out of all exchanges that begin from here on, stops its timers and commands, and cancels those
    /// of its sub-requests that have no response yet. Bodies of responses flow on, because others may read them. [loop]
    private func disable(_ slot: Slot, after faults: Int, in exchange: ExchangeCore) {
        let cause = faults == 1 ? "a fault" : "\(faults) faults in a row"
        let error = PlugboardError(
            .pluginDisabled, "The plugin \(slot.id) is switched off until the next start, after \(cause).",
            plugin: slot.id)
        disabled.insert(slot.bit)
        slot.disabled = error
        timers.stop(of: slot.index)
        log.write(.error, slot.id, error.reason)
        exchange.report(.pluginDisabled, [("plugin", .text(slot.id)), ("faults", .integer(Int64(faults)))])
        // A hook that waits may wait for a timer that no longer fires. Later, because this runs within the call that
        // was at fault.
        loop.enqueue { [self] in
            for exchange in underWay.all {
                exchange.endWait(at: slot)
                if exchange.family.sender == slot.index && exchange.steering.phase != .flowing {
                    exchange.cancel(error)
                }
            }
        }
    }
}
