/// What this process knows of lines, and the exchanges that wait for them.
///
/// Of the exchanges that wait for a line one passes at a time: the next is woken when the line is empty and the
/// exchange before it has ended. If the line does not become empty soon, they are put into the file instead, one after
/// the other too, so that their order stays.
struct Lines<Ticket> {
    private struct Waiting {
        var exchanges: [(number: UInt64, ticket: Ticket)] = []
        /// Where their requests go.
        var origins: Set<String> = []
        /// The exchange that was woken because the line is empty, and has not ended.
        var passing: UInt64?
        /// The exchange that was woken to be put into the file, and has not ended.
        var queueing: UInt64?
        /// They are to be put into the file.
        var isHopeless = false
    }

    /// What a request of a line does.
    enum Entrance: Equatable {
        case free
        /// It waits under this number.
        case waits(UInt64)
        case cannotWait
    }

    /// More lines are forgotten, and the file is asked again.
    private static var limit: Int { 1000 }

    /// Whether a line has requests in the file, for lines that the file was asked for.
    private var busy: [String: Bool] = [:]
    private var waiting: [String: Waiting] = [:]
    /// The lines of which an exchange may be woken.
    private var changed: Set<String> = []
    private var last: UInt64 = 0

    /// Whether the line has requests in the file; nil if the file has to be asked.
    func isBusy(_ line: String) -> Bool? { busy[line] }

    /// Whether exchanges wait for the line, or pass it after their wait.
    func isEntered(_ line: String) -> Bool { waiting[line] != nil }

    /// The lines that exchanges wait for.
    var entered: [String] { waiting.filter { !$0.value.exchanges.isEmpty }.map(\.key) }

    var hasEntered: Bool { waiting.contains { !$0.value.exchanges.isEmpty } }

    /// A request of the line has come.
    ///
    /// - Parameters:
    ///   - canWait: Whether the line can become empty soon. An exchange waits behind others even if not.
    ///   - isLater: It is put into the file without a wait, but behind those that came before it.
    mutating func enter(
        _ line: String, _ origin: String, _ ticket: Ticket, canWait: Bool, isLater: Bool
    ) -> Entrance {
        if waiting[line] == nil {
            if isLater || busy[line] == false { return .free }
            if !canWait { return .cannotWait }
        }
        last += 1
        waiting[line, default: Waiting()].exchanges.append((last, ticket))
        waiting[line]?.origins.insert(origin)
        if isLater || !canWait { waiting[line]?.isHopeless = true }
        changed.insert(line)
        return .waits(last)
    }

    /// The wait of an exchange is over. Returns whether it may be sent; else it has to be put into the file.
    mutating func begin(_ line: String, _ number: UInt64) -> Bool {
        guard let state = waiting[line] else { return false }
        if state.passing == number { return true }
        // Its time is over.
        if state.queueing != number { waiting[line]?.exchanges.removeAll { $0.number == number } }
        return false
    }

    /// The exchange has ended.
    mutating func leave(_ line: String, _ number: UInt64) {
        guard let state = waiting[line] else { return }
        if state.passing == number { waiting[line]?.passing = nil }
        if state.queueing == number { waiting[line]?.queueing = nil }
        waiting[line]?.exchanges.removeAll { $0.number == number }
        changed.insert(line)
    }

    /// The line has requests in the file, or has none.
    mutating func set(_ line: String, isBusy: Bool) {
        if busy.count >= Lines.limit { busy = [:] }
        busy[line] = isBusy
        if waiting[line] != nil { changed.insert(line) }
    }

    /// The file was changed by others.
    mutating func forget() { busy = [:] }

    /// The line of each exchange that waits for an origin, or of all, does not become empty soon.
    mutating func giveUp(_ origin: String? = nil) {
        for (line, state) in waiting where origin.map(state.origins.contains) ?? true {
            waiting[line]?.isHopeless = true
            changed.insert(line)
        }
    }

    /// The exchanges that are to be woken now.
    mutating func takeWoken() -> [Ticket] {
        guard !changed.isEmpty else { return [] }
        var woken: [Ticket] = []
        for line in changed {
            guard let state = waiting[line] else { continue }
            guard let next = state.exchanges.first else {
                if state.passing == nil, state.queueing == nil { waiting[line] = nil }
                continue
            }
            if state.isHopeless {
                guard state.queueing == nil else { continue }
                waiting[line]?.queueing = next.number
            } else {
                guard state.passing == nil, busy[line] == false else { continue }
                waiting[line]?.passing = next.number
            }
            waiting[line]?.exchanges.removeFirst()
            woken.append(next.ticket)
        }
        changed = []
        return woken
    }
}
