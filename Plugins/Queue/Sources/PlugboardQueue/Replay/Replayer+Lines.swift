import PlugboardKit
import PlugboardSQLite

/// Keeps the order of lines: requests of a line are sent one by one, including those of other processes.
extension Replayer {
    /// Puts a new request for `later` into the file at once. Nil if it has to wait for earlier exchanges. [loop]
    func enter(_ line: String) -> LineTurn? {
        state.withLock { $0.lines.enter(line) }.map { LineTurn(self, line, $0) }
    }

    /// Lets the request wait until the line is empty and the requests before it have continued. [loop]
    func wait(_ line: String, _ kind: Lines<Ticket>.Kind, _ origin: String, _ ticket: Ticket) -> LineTurn {
        let number = changeLines { $0.lines.wait(line, kind, origin, ticket) }
        look(line)
        return LineTurn(self, line, number)
    }

    /// Whether the waiting requests of a line can be sent soon. False if there is no network to the origin, or if
    /// nothing is sent before the command `replay`.
    private func canWait(_ origin: String, _ now: Int64, _ state: State) -> Bool {
        isAutomatic && now >= state.pausedUntil && now >= state.origins[origin]?.pausedUntil ?? 0
            && !state.isEnding && !state.isStopped
    }

    /// Looks up a line that exchanges wait for in the file. A file that cannot be read delays none of them.
    func look(_ line: String) {
        store.perform { (file, connection, _, _) throws(SQLiteFailure) in
            try file.isBusy(line, connection)
        } then: { [self] result in
            let now = host.now.nanoseconds
            let isBusy = changeLines { state -> Bool in
                guard case .success(let isBusy) = result else {
                    if state.lines.isBusy(line) == nil { state.lines.set(line, isBusy: false) }
                    return false
                }
                state.lines.set(line, isBusy: isBusy)
                if isBusy, state.lines.origins(of: line).contains(where: { !canWait($0, now, state) }) {
                    state.lines.giveUp(line: line)
                }
                return isBusy
            }
            if isBusy { kick() }
        }
    }

    /// Called when an exchange of the line has its outcome, is in the file, or has ended.
    func leave(_ line: String, _ number: UInt64) {
        let (isWaitedFor, holdsBack) = changeLines { state in
            let hasPassed = state.lines.leave(line, number)
            return (state.lines.isWaitedFor(line), hasPassed && state.lines.isBusy(line) != false)
        }
        if isWaitedFor { look(line) } else if holdsBack { kick() }
    }

    /// Called when a request of the line is not in the file any more.
    func left(_ line: String) {
        if state.withLock({ $0.lines.isWaitedFor(line) }) { look(line) } else { kick() }
    }

    /// Records whether the line has requests in the file.
    func set(_ line: String, isBusy: Bool) { changeLines { $0.lines.set(line, isBusy: isBusy) } }

    /// Called when requests were dropped: looks up the lines in the file again.
    func reload() {
        let waitedFor = changeLines { state in
            state.lines.forget()
            return state.lines.waitedFor
        }
        for line in waitedFor { look(line) }
        kick()
    }

    /// Called when a request was queued.
    func added(_ line: String?, _ origin: String) {
        let now = host.now.nanoseconds
        let pause = changeLines { state -> Int64? in
            if let line { state.lines.set(line, isBusy: true) }
            // The file need not be read while nothing is sent to its origin.
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
