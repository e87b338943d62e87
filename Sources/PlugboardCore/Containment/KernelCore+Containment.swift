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
        let places = pipeline.places
        if settings.measuresHooks { measures = HookMeasures(places, counters: counters) }
        guard let limit = settings.hookLimit, !places.isEmpty else { return }
        watchdog = Watchdog(mark, limit: limit) { [weak self] call in
            guard let self, call.place < places.count else { return }
            let id = places[call.place].id
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
    func calling(_ place: Place, _ hook: CalledHook, _ call: () -> Void) {
        let outer = mark.enter(place.index, hook)
        if let measures {
            let began = clockTime(CLOCK_MONOTONIC)
            call()
            measures.count(place, hook, nanoseconds: clockTime(CLOCK_MONOTONIC) - began)
        } else {
            call()
        }
        mark.leave(outer)
    }

    /// Calls any other function of a plugin; the place is an index, for there are calls before there is a pipeline. [any]
    func calling<Result>(_ place: Int, _ hook: CalledHook, _ call: () -> Result) -> Result {
        if loop.isCurrent {
            let outer = mark.enter(place, hook)
            defer { mark.leave(outer) }
            return call()
        }
        // Beside the loop it holds nobody up, and only a crash has to be told.
        return sideMarks?.calling(place, hook, call) ?? call()
    }

    /// The place of the plugin that runs, for functions of the host that are not told whose they are; nil beside the loop. [any]
    var caller: Int? { loop.isCurrent ? mark.call?.place : nil }

    // MARK: Faults

    /// Faults of one exchange count once. [loop]
    func count(faultOf place: Place, in exchange: Exchange) {
        guard let limit = place.faultLimit, exchange.faulted & place.bit == 0 else { return }
        exchange.faulted |= place.bit
        faulty |= place.bit
        place.faultsInARow += 1
        if place.faultsInARow == limit { disable(place, after: limit, in: exchange) }
    }

    /// An exchange that went well begins the count of those anew who saw its end: whose turns are still open. [loop]
    @inline(__always)
    func settleFaults(of exchange: Exchange) {
        if faulty != 0 { forgive(faulty & ~exchange.faulted & exchange.turns.opened) }
    }

    private func forgive(_ places: UInt64) {
        for place in pipeline.places where places & place.bit != 0 { place.faultsInARow = 0 }
        faulty &= ~places
    }

    /// Leaves a plugin out of all exchanges that begin from here on, stops its timers and commands, and cancels those of its sub-requests
    /// that have no answer yet. Bodies of answers flow on, for others may read them. [loop]
    private func disable(_ place: Place, after faults: Int, in exchange: Exchange) {
        let cause = faults == 1 ? "a fault" : "\(faults) faults in a row"
        let error = PlugboardError(
            .pluginDisabled, "The plugin \(place.id) is switched off until the next start, after \(cause).",
            plugin: place.id)
        disabled |= place.bit
        place.disabled = error
        timers.stop(of: place.index)
        log.write(.error, place.id, error.reason)
        exchange.report(.pluginDisabled, [("plugin", .text(place.id)), ("faults", .integer(Int64(faults)))])
        // What waits in its hook may wait for a timer that fires no more. Not within the call that was at fault.
        loop.enqueue { [self] in
            for exchange in exchanges {
                exchange.endWait(at: place)
                if exchange.sender == place.index && exchange.phase != .flowing { exchange.cancel(error) }
            }
        }
    }
}
