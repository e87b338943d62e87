import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Every call of a plugin's function goes through `calling`, so that others can tell whose it is; faults are counted, and plugins switched off.
extension KernelCore {
    /// The plugins are created, and no exchange has begun.
    func beginContainment() {
        let slots = pipeline.slots
        if settings.measuresHooks { measures = HookMeasures(slots, counters: counters) }
        guard let limit = settings.hookLimit, !slots.isEmpty else { return }
        watchdog = Watchdog(mark, limit: limit) { [weak self] call in
            guard let self, call.slot < slots.count else { return }
            let id = slots[call.slot].id
            log.write(
                .warning, id,
                "The plugin \(id) has held the loop in \(call.hook) for more than \(limit.configured): every exchange "
                    + "waits for it. Slow work belongs into `wait`.")
            loop.enqueue { [weak self] in
                self?.publish(
                    EventNode(.pluginStalled) { [("plugin", .text(id)), ("hook", .text("\(call.hook)"))] })
            }
        }
    }

    /// The loop has ended, and no plugin is called any more.
    func endContainment() {
        watchdog = nil
        // The watchdog's thread may hold the mark a little longer.
        crashNote?.remove()
    }

    // MARK: Calls

    /// Calls a hook of an exchange, or a pull, and counts it where that is wanted. [loop]
    @inline(__always)
    func calling(_ slot: Slot, _ hook: CalledHook, _ call: () -> Void) {
        let outer = mark.enter(slot.index, hook)
        if let measures {
            let began = clockTime(CLOCK_MONOTONIC)
            call()
            measures.count(slot, hook, nanoseconds: clockTime(CLOCK_MONOTONIC) - began)
        } else {
            call()
        }
        mark.leave(outer)
    }

    /// Calls any other function of a plugin; the slot is an index, for there are calls before there is a pipeline. [any]
    func calling<Result>(_ slot: Int, _ hook: CalledHook, _ call: () -> Result) -> Result {
        if loop.isCurrent {
            let outer = mark.enter(slot, hook)
            defer { mark.leave(outer) }
            return call()
        }
        // Beside the loop it holds nobody up, and only a crash has to be told.
        return sideMarks?.calling(slot, hook, call) ?? call()
    }

    /// The slot of the plugin that runs, for functions of the host that are not told whose they are; nil beside the loop. [any]
    var caller: Int? { loop.isCurrent ? mark.call?.slot : nil }

    // MARK: Faults

    /// Faults of one exchange count once. [loop]
    func count(faultOf slot: Slot, in exchange: ExchangeCore) {
        guard let limit = slot.faultLimit, exchange.faulted & slot.bit == 0 else { return }
        exchange.faulted |= slot.bit
        faulty |= slot.bit
        slot.faultsInARow += 1
        if slot.faultsInARow == limit { disable(slot, after: limit, in: exchange) }
    }

    /// An exchange that went well begins the count of those anew who saw its end: whose turns are still open. [loop]
    @inline(__always)
    func settleFaults(of exchange: ExchangeCore) {
        if faulty != 0 { forgive(faulty & ~exchange.faulted & exchange.turns.opened) }
    }

    private func forgive(_ slots: UInt64) {
        for slot in pipeline.slots where slots & slot.bit != 0 { slot.faultsInARow = 0 }
        faulty &= ~slots
    }

    /// Leaves a plugin out of all exchanges that begin from here on, stops its timers and commands, and cancels those of its sub-requests
    /// that have no answer yet. Bodies of answers flow on, for others may read them. [loop]
    private func disable(_ slot: Slot, after faults: Int, in exchange: ExchangeCore) {
        let cause = faults == 1 ? "a fault" : "\(faults) faults in a row"
        let error = PlugboardError(
            .pluginDisabled, "The plugin \(slot.id) is switched off until the next start, after \(cause).",
            plugin: slot.id)
        disabled |= slot.bit
        slot.disabled = error
        timers.stop(of: slot.index)
        log.write(.error, slot.id, error.reason)
        exchange.report(.pluginDisabled, [("plugin", .text(slot.id)), ("faults", .integer(Int64(faults)))])
        // What waits in its hook may wait for a timer that fires no more. Not within the call that was at fault.
        loop.enqueue { [self] in
            for exchange in exchanges {
                exchange.endWait(at: slot)
                if exchange.sender == slot.index && exchange.phase != .flowing { exchange.cancel(error) }
            }
        }
    }
}
