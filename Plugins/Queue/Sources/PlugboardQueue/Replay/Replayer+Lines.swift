import PlugboardKit
import PlugboardSQLite

/// Keeping the order of lines: requests of a line are sent one after the other, also those of other processes.
extension Replayer {
    /// Whether requests of the line are in the file, or exchanges wait for it; nil if the file has to be asked, because
    /// it was changed. [loop]
    func isBusy(_ line: String) -> Bool? {
        let stamp = store.stamp
        return state.withLock { state in
            if state.lines.isEntered(line) { return true }
            guard let stamp, stamp == state.stamp else { return nil }
            return state.lines.isBusy(line)
        }
    }

    /// Whether exchanges of this process wait for the line.
    func isEntered(_ line: String) -> Bool { state.withLock { $0.lines.isEntered(line) } }

    /// Asks the file for a line, tells the passage what it says, and then wakes the ticket. A file that cannot be read
    /// holds up no request.
    func look(_ line: String, _ ticket: Ticket, _ passage: Passage) {
        store.perform { [store] (file, connection, _, _) throws(SQLiteFailure) in
            // Before the file is read, so that a later write is seen.
            let stamp = store.stamp.flatMap { $0.isSettled ? $0 : nil }
            let version = (connection.opening, try connection.dataVersion())
            return (stamp, version, try file.isBusy(line, connection))
        } then: { [self] result in
            if case .success((let stamp, let version, let isBusy)) = result {
                changeLines { state in
                    state.see(version)
                    state.stamp = stamp
                    state.lines.set(line, isBusy: isBusy)
                }
                // The exchange does not ask `lines`, which may forget the line before it is visited again.
                passage.isLineBusy = isBusy
            }
            ticket.wake()
        }
    }

    /// What a new request of a line does.
    enum Entrance { case free, waits(LineTurn), cannotWait }

    /// Lets an exchange wait until a line is empty. It cannot wait where there is no point, because the network to the
    /// origin is gone, or nothing is sent before the command `replay`.
    func enter(_ line: String, _ origin: String, _ ticket: Ticket, isLater: Bool) -> Entrance {
        let now = host.now.nanoseconds
        let entrance = changeLines { state -> Lines<Ticket>.Entrance in
            let canWait =
                isAutomatic && now >= state.pausedUntil && now >= state.origins[origin]?.pausedUntil ?? 0
                && !state.isEnding && !state.isStopped
            let entrance = state.lines.enter(line, origin, ticket, canWait: canWait, isLater: isLater)
            if case .waits = entrance, !isLater { state.entered.append(line) }
            return entrance
        }
        switch entrance {
        case .free: return .free
        case .cannotWait: return .cannotWait
        case .waits(let number):
            kick()
            return .waits(LineTurn(self, line, number))
        }
    }

    /// An exchange that has entered the line has ended.
    func leave(_ line: String, _ number: UInt64) {
        let isEntered = changeLines { state in
            state.lines.leave(line, number)
            return state.lines.isEntered(line)
        }
        if isEntered { left(line) }
    }

    /// A request of the line is not in the file any more: the file is asked for it.
    func left(_ line: String) {
        store.perform { (file, connection, _, _) throws(SQLiteFailure) in
            try file.isBusy(line, connection)
        } then: { [self] result in
            if case .success(let isBusy) = result { set(line, isBusy: isBusy) }
            kick()
        }
    }

    /// The line has requests in the file, or has none.
    func set(_ line: String, isBusy: Bool) { changeLines { $0.lines.set(line, isBusy: isBusy) } }

    /// Requests were dropped: the file is asked for the lines again.
    func reload() {
        changeLines { state in
            state.seen = nil
            state.claimed = nil
            state.lines.forget()
        }
        kick()
    }

    /// A request was queued.
    func added(_ line: String?, _ origin: String) {
        let now = host.now.nanoseconds
        let pause = changeLines { state -> Int64? in
            if let line { state.lines.set(line, isBusy: true) }
            // The file need not be asked while nothing is sent to its origin.
            guard state.hasLooked, let end = state.origins[origin]?.pausedUntil, end > now else { return nil }
            return end
        }
        if let pause, isAutomatic { setTimer(pause) } else { kick() }
    }

    /// Changes the state, and wakes the exchanges whose turn has come.
    @discardableResult
    func changeLines<Value: Sendable>(_ change: (inout State) -> Value) -> Value {
        let (value, woken) = state.withLock { state in
            let value = change(&state)
            return (value, state.lines.takeWoken())
        }
        for ticket in woken { ticket.wake() }
        return value
    }
}
