import PlugboardKit
import PlugboardSQLite

/// Keeps the order of lines: requests of a line are sent one by one, including those of other processes.
extension Replayer {
    /// What a new request of a line does.
    enum Entrance { case pass(LineTurn?), queue(LineTurn), wait }

    /// Decides what a new request does. Whether the file was changed is checked without opening it. [loop]
    func enter(_ line: String, _ kind: Lines<Ticket>.Kind, _ origin: String) -> Entrance {
        let (stamp, now) = (store.stamp, host.now.nanoseconds)
        let step = state.withLock { state in
            if stamp == nil || stamp != state.stamp { state.lines.forget() }
            return state.lines.enter(line, kind, canWait: canWait(origin, now, state))
        }
        switch step {
        case .pass(let number): return .pass(number.map { LineTurn(self, line, $0) })
        case .queue(let number): return .queue(LineTurn(self, line, number))
        case .wait: return .wait
        }
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
        store.perform { [store] (session, _, _) throws(SQLiteFailure) in
            // Before the file is read, so that a later write is seen.
            let stamp = store.stamp.flatMap { $0.isSettled ? $0 : nil }
            return (stamp, try session.isBusy(line))
        } then: { [self] result in
            let now = host.now.nanoseconds
            let isBusy = changeLines { state -> Bool in
                guard case .success((let stamp, let isBusy)) = result else {
                    if state.lines.isBusy(line) == nil { state.lines.set(line, isBusy: false) }
                    return false
                }
                // What is known of other lines is outdated if the file has changed.
                if stamp == nil || stamp != state.stamp { state.lines.forget() }
                state.stamp = stamp
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
            state.stamp = nil
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
