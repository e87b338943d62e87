/// The exchanges of each line that are under way in this process, and whether the line has requests in the file.
///
/// The exchanges of a line continue in the order in which they came. One at a time is sent, if the line has no requests
/// in the file and the exchange before it has its outcome. Others are put into the file instead, even while one is
/// sent: they get their places in the file one by one, and several are then written together. A request that is never
/// put into the file waits for those in the file, and delays no other.
struct Lines<Ticket> {
    enum Kind {
        /// Is put into the file if it cannot be sent.
        case kept
        /// Is put into the file at once, to be sent later.
        case later
        /// Is never put into the file.
        case unkept
    }

    /// What an exchange does now.
    enum Step: Equatable {
        /// It is sent, and holds the line under this number until its outcome; with nil, it has no place in the line.
        case pass(UInt64?)
        /// It is put into the file, and has its place in the line under this number until then.
        case queue(UInt64)
        /// It waits for other exchanges.
        case wait
    }

    private struct Waiter {
        let number: UInt64
        let kind: Kind
        /// The origin of its request.
        let origin: String
        var ticket: Ticket
        /// Whether it stops waiting for the requests in the file.
        var mustQueue: Bool
    }

    private struct Line {
        var waiters: [Waiter] = []
        /// The exchange that is being sent.
        var passing: UInt64?
        /// The exchange that is being put into the file.
        var queueing: UInt64?
        /// The exchanges that have their place in the file, and are being written.
        var adding: Set<UInt64> = []

        var isUnused: Bool { waiters.isEmpty && passing == nil && queueing == nil && adding.isEmpty }

        /// Sets `mustQueue` of the waiters before `end`, or of all.
        mutating func mustQueue(before end: Int? = nil) {
            for index in 0..<(end ?? waiters.count) { waiters[index].mustQueue = true }
        }
    }

    /// The most lines in `busy`. Beyond it, all are removed, and the file is read again.
    private static var limit: Int { 1000 }

    /// Whether a line has requests in the file, for the lines that were looked up in it.
    private var busy: [String: Bool] = [:]
    private var lines: [String: Line] = [:]
    /// The lines of which an exchange may be woken.
    private var changed: Set<String> = []
    private var last: UInt64 = 0

    /// Whether the line has requests in the file; nil if the file has to be read.
    func isBusy(_ line: String) -> Bool? { busy[line] }

    /// Whether exchanges wait for the line.
    func isWaitedFor(_ line: String) -> Bool { lines[line]?.waiters.isEmpty == false }

    /// Whether an exchange of the line is being sent. Then no other request of the line may be sent.
    func isPassed(_ line: String) -> Bool { lines[line]?.passing != nil }

    /// The lines of which an exchange is being sent.
    var passed: Set<String> { Set(lines.lazy.filter { $0.value.passing != nil }.map(\.key)) }

    /// The lines that exchanges wait for, the line of the oldest first.
    var waitedFor: [String] {
        lines.filter { !$0.value.waiters.isEmpty }.sorted { $0.value.waiters[0].number < $1.value.waiters[0].number }
            .map(\.key)
    }

    var hasWaiters: Bool { lines.contains { !$0.value.waiters.isEmpty } }

    /// Called for a new request of the line. Returns what it does now; unless it waits, it has its place then.
    ///
    /// - Parameter canWait: Whether requests in the file can be sent soon.
    mutating func enter(_ line: String, _ kind: Kind, canWait: Bool) -> Step {
        let state = lines[line] ?? Line()
        guard state.waiters.isEmpty, state.queueing == nil else { return .wait }
        let mustQueue = kind == .later || busy[line] == true && !canWait
        switch kind {
        case .unkept: return busy[line] == false && state.adding.isEmpty || mustQueue ? .pass(nil) : .wait
        case .kept where busy[line] == false && state.passing == nil && state.adding.isEmpty:
            last += 1
            lines[line, default: Line()].passing = last
            return .pass(last)
        case .kept, .later:
            guard mustQueue else { return .wait }
            last += 1
            lines[line, default: Line()].queueing = last
            return .queue(last)
        }
    }

    /// Lets a request wait behind the earlier ones of its line. Returns its number.
    mutating func wait(_ line: String, _ kind: Kind, _ origin: String, _ ticket: Ticket) -> UInt64 {
        last += 1
        let waiter = Waiter(number: last, kind: kind, origin: origin, ticket: ticket, mustQueue: false)
        lines[line, default: Line()].waiters.append(waiter)
        // A request of the kind `later` must not wait for the network, so those before it must not either.
        if kind == .later { lines[line]?.mustQueue() }
        changed.insert(line)
        return last
    }

    /// Called when the exchange was woken, or when its time to wait is over. Returns what it does now.
    mutating func step(_ line: String, _ number: UInt64) -> Step {
        guard let state = lines[line] else { return .pass(nil) }
        if state.passing == number { return .pass(number) }
        if state.queueing == number { return .queue(number) }
        guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return .pass(nil) }
        changed.insert(line)
        if state.waiters[index].kind == .unkept {
            lines[line]?.waiters.remove(at: index)
            return .pass(nil)
        }
        lines[line]?.mustQueue(before: index + 1)
        guard index == 0, state.queueing == nil else { return .wait }
        lines[line]?.waiters.removeFirst()
        lines[line]?.queueing = number
        return .queue(number)
    }

    /// Lets the exchange wait again with another ticket. Returns false if its turn has come meanwhile.
    mutating func wait(_ line: String, _ number: UInt64, _ ticket: Ticket) -> Bool {
        guard let index = lines[line]?.waiters.firstIndex(where: { $0.number == number }) else { return false }
        lines[line]?.waiters[index].ticket = ticket
        return true
    }

    /// Called when the exchange has its place in the file, so that the next can be put behind it.
    mutating func place(_ line: String, _ number: UInt64) {
        guard lines[line]?.queueing == number else { return }
        lines[line]?.queueing = nil
        lines[line]?.adding.insert(number)
        changed.insert(line)
    }

    /// Called when the exchange has its outcome, is in the file, or has ended. Returns whether it was being sent.
    @discardableResult
    mutating func leave(_ line: String, _ number: UInt64) -> Bool {
        guard let state = lines[line] else { return false }
        if state.passing == number { lines[line]?.passing = nil }
        if state.queueing == number { lines[line]?.queueing = nil }
        lines[line]?.adding.remove(number)
        lines[line]?.waiters.removeAll { $0.number == number }
        changed.insert(line)
        return state.passing == number
    }

    /// Records whether the line has requests in the file.
    mutating func set(_ line: String, isBusy: Bool) {
        if busy.count >= Lines.limit { busy = [:] }
        busy[line] = isBusy
        if lines[line] != nil { changed.insert(line) }
    }

    /// Forgets which lines have requests in the file, because the file was changed.
    mutating func forget() { busy = [:] }

    /// The origins of the exchanges that wait for a line.
    func origins(of line: String) -> [String] { lines[line]?.waiters.map(\.origin) ?? [] }

    /// Puts the exchanges that wait for a line into the file, because its requests cannot be sent soon.
    mutating func giveUp(line: String) {
        lines[line]?.mustQueue()
        changed.insert(line)
    }

    /// Gives up all lines that have requests in the file, or may have some.
    mutating func giveUpBusy() {
        for line in lines.keys where busy[line] != false { giveUp(line: line) }
    }

    /// Gives up all lines in which an exchange waits for this origin; without an origin, all lines.
    mutating func giveUp(origin: String? = nil) {
        for (line, state) in lines where origin.map({ one in state.waiters.contains { $0.origin == one } }) ?? true {
            giveUp(line: line)
        }
    }

    /// The exchanges that are to be woken now.
    mutating func takeWoken() -> [Ticket] {
        guard !changed.isEmpty else { return [] }
        var woken: [Ticket] = []
        for name in changed {
            guard var line = lines[name] else { continue }
            while let next = line.waiters.first, line.queueing == nil {
                if next.kind == .unkept {
                    guard next.mustQueue || busy[name] == false && line.adding.isEmpty else { break }
                } else if next.mustQueue {
                    line.queueing = next.number
                } else {
                    guard line.passing == nil, busy[name] == false, line.adding.isEmpty else { break }
                    line.passing = next.number
                }
                line.waiters.removeFirst()
                woken.append(next.ticket)
            }
            lines[name] = line.isUnused ? nil : line
        }
        changed = []
        return woken
    }
}
