import PlugboardKit

@_spi(QueueStores) @testable import PlugboardQueue

/// What the README's table says, in plain code: the file is compared with it.
struct QueueModel {
    enum State: Equatable { case writing(String), waiting, sending(String), done, dead }

    struct Entry {
        var id: String
        var line: String?
        var collapse: (key: String, rule: QueueCollapse)?
        var priority: Int
        var method: String
        var url: String
        var order: Int
        var state: State
        var due: Int64
        /// By the wall clock, and by the file's own time.
        var created: Int64
        var born: Int64
        var ended: Int64 = 0
        var isTouched: Bool
        var attempts = 0
        var rejections = 0
        var lease: Int64 = 0
        /// What counts for the limit of bytes.
        var length: Int
        var head: Int
        var context: Int
        var outcome = 0
        /// By the wall clock.
        var completed: Int64 = 0
        var isAcknowledged = false

        /// Whether it waits or is being sent.
        var isUnderWay: Bool {
            switch state {
            case .waiting, .sending: true
            case .writing, .done, .dead: false
            }
        }

        var size: Int { max(length, 0) + head + context + outcome }

        mutating func end(_ state: State, clock: Int64, now: Int64, outcome: Int = 0) {
            (self.state, ended, completed, self.outcome) = (state, clock, now, outcome)
            if state == .done, length > 0 { length = -1 }
        }
    }

    var entries: [Entry] = []
    var order = 0
    /// The file's own time, and the clocks that moved it.
    var clock: Int64 = 0
    var wall: Int64 = 0
    var lastTime: Int64 = 0
    let limits: QueueLimits
    /// Whether the store has a time of its own; otherwise its time is the wall clock.
    let hasOwnTime: Bool

    init(_ limits: QueueLimits, hasOwnTime: Bool = true) { (self.limits, self.hasOwnTime) = (limits, hasOwnTime) }

    private mutating func look(at now: Int64) { if !hasOwnTime { clock = now } }

    private mutating func step(now: Int64, time: Int64) {
        guard hasOwnTime else { return look(at: now) }
        clock += min(max(now - wall, time - lastTime, 0), min(limits.age, limits.resultAge) / 2)
        (wall, lastTime) = (max(wall, now), time)
    }

    func index(_ id: String) -> Int? { entries.firstIndex { $0.id == id } }

    mutating func add(
        _ new: NewEntry, begun: String? = nil, now: Int64, time: Int64, owner: String
    ) -> Placement {
        step(now: now, time: time)
        // The pieces that were written are the new request's, or go.
        let begun = begun.flatMap { id in entries.first { $0.id == id } }
        defer { limitOutcomes() }
        if index(new.id) != nil {
            entries.removeAll { $0.id == begun?.id }
            return .known
        }
        var new = new
        var isBehind = false
        if new.isJournal, new.line != nil {
            // What waits has come after it.
            new.isFirst = true
            isBehind = sendingLines.contains(new.line)
            new.isJournal = !isBehind
        }
        var isCancelled = false
        var isTouched = new.isTouched || new.isJournal
        let same = entries.indices.filter {
            new.collapse != nil && !new.isJournal && entries[$0].state == .waiting && entries[$0].line == new.line
                && entries[$0].collapse?.key == new.collapse?.key
        }
        for index in same where new.collapse?.rule == .cancel && !entries[index].isTouched {
            if new.isFirst && new.isTouched { continue }
            if entries[index].method != new.method || entries[index].url != new.url { isCancelled = true }
        }
        // It came before the one that waits.
        let isReplaced = new.isFirst && !isCancelled && !same.isEmpty
        // Room is made by removing others, so their indices change.
        let replaced = same.map { entries[$0].id }
        if !isCancelled, !isReplaced, !makeRoom(new, replacing: replaced, begun, now) {
            entries.removeAll { $0.id == begun?.id }
            return .full
        }
        for index in replaced.compactMap({ index($0) }) where entries[index].state == .waiting {
            if entries[index].isTouched { isTouched = true }
            if isReplaced {
                entries[index].isTouched = entries[index].isTouched || new.isTouched
            } else {
                entries[index].end(.done, clock: clock, now: now)
            }
        }
        // The pieces keep their number until the request has its own.
        let place = place(of: new)
        entries.removeAll { $0.id == begun?.id }
        var entry = Entry(
            id: new.id, line: new.line, collapse: new.collapse, priority: new.priority, method: new.method,
            url: new.url, order: place,
            state: new.isJournal ? .sending(owner) : .waiting, due: now, created: now, born: clock,
            isTouched: isTouched, lease: time + limits.lease, length: isCancelled || isReplaced ? -1 : new.length,
            head: new.head.utf8.count, context: new.context?.utf8.count ?? 0)
        if isCancelled || isReplaced { entry.end(.done, clock: clock, now: now) }
        entries.append(entry)
        return isCancelled ? .cancelled : isBehind ? .behind : .queued
    }

    /// Before the waiting ones of its line if it came before them, else at the end.
    private mutating func place(of new: NewEntry) -> Int {
        let waiting = entries.filter { $0.line != nil && $0.line == new.line && $0.state == .waiting }
        if new.isFirst, let first = waiting.map(\.order).min(), !entries.contains(where: { $0.order == first - 1 }) {
            return first - 1
        }
        order += 2
        return order
    }

    private var sendingLines: Set<String?> {
        Set(entries.filter { if case .sending = $0.state { $0.line != nil } else { false } }.map(\.line))
    }

    /// - Parameter line: The line that the request holds while it is written.
    mutating func begin(_ id: String, holding line: String?, bytes: Int, now: Int64, time: Int64, owner: String) {
        // The file counts on by one here; several connections count by two.
        order += hasOwnTime ? 1 : 2
        entries.append(
            Entry(
                id: "\(id) \(owner)", line: line, priority: 0, method: "", url: "", order: order,
                state: .writing(owner), due: now, created: now,
                born: clock, isTouched: false, lease: time + limits.lease, length: bytes, head: 0, context: 0))
    }

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        left.priority != right.priority ? left.priority > right.priority : left.order < right.order
    }

    /// - Parameters:
    ///   - paused: Origins to which nothing is sent.
    ///   - proven: Origins that get more than one request; nil: all.
    mutating func claim(
        _ count: Int, except paused: Set<String> = [], proven: Set<String>? = nil, now: Int64, time: Int64,
        owner: String
    ) -> [String] {
        let writing = entries.filter { if case .writing = $0.state { $0.line != nil } else { false } }
        let held = sendingLines.union(writing.map(\.line))
        let waiting = entries.filter { $0.state == .waiting }
        let first = waiting.filter { entry in
            guard let line = entry.line else { return true }
            return !held.contains(line) && !waiting.contains { $0.line == line && QueueModel.precedes($0, entry) }
        }
        let due = first.filter { $0.due <= now || $0.due > now + limits.longestWait }
        var (taken, used): ([String], Set<String>) = ([], paused)
        for entry in due.sorted(by: QueueModel.precedes) where taken.count < count {
            let origin = NewEntry.origin(of: entry.url)
            if used.contains(origin) { continue }
            taken.append(entry.id)
            if let proven, !proven.contains(origin) { used.insert(origin) }
        }
        for id in taken {
            entries[index(id)!].state = .sending(owner)
            entries[index(id)!].lease = time + limits.lease
        }
        return taken
    }

    mutating func settle(_ id: String, _ settlement: Settlement, now: Int64, owner: String) -> Bool {
        look(at: now)
        guard let index = index(id), entries[index].state == .sending(owner) else { return false }
        switch settlement {
        case .done(let response):
            entries[index].end(
                .done, clock: clock, now: now, outcome: response.fields.utf8.count + response.body.count)
        case .dead: entries[index].end(.dead, clock: clock, now: now)
        case .waiting(_, let until, let counted, let isTouched):
            entries[index].state = .waiting
            entries[index].due = until
            if isTouched { entries[index].isTouched = true }
            if counted == .attempt { entries[index].attempts += 1 }
            if counted == .rejection { entries[index].rejections += 1 }
            let own = entries[index]
            let later = entries.firstIndex {
                $0.state == .waiting && $0.line != nil && $0.line == own.line && $0.order > own.order
                    && $0.collapse != nil && $0.collapse?.key == own.collapse?.key
            }
            if own.isTouched, let later {
                entries[later].isTouched = true
                entries[index].end(.done, clock: clock, now: now)
            }
        }
        return true
    }

    mutating func renew(time: Int64, owner: String) {
        for index in entries.indices
        where entries[index].state == .sending(owner) || entries[index].state == .writing(owner) {
            entries[index].lease = time + limits.lease
        }
    }

    /// Takes back what others were sending that have ended, or have not renewed their lease.
    mutating func takeBack(time: Int64, owner: String, ended: [String]) {
        var leases: [String: Int64] = [:]
        for entry in entries {
            switch entry.state {
            case .sending(let other), .writing(let other): leases[other] = max(leases[other] ?? 0, entry.lease)
            default: break
            }
        }
        for (other, lease) in leases where other != owner && (ended.contains(other) || lease < time) {
            release(other)
        }
    }

    /// What a process was sending waits again, and what it was writing goes.
    mutating func release(_ owner: String) {
        entries.removeAll { $0.state == .writing(owner) }
        for index in entries.indices where entries[index].state == .sending(owner) {
            entries[index].state = .waiting
            entries[index].isTouched = true
        }
    }

    /// What a process was sending waits again as it was; returns which requests.
    mutating func putBack(owner: String) -> [String] {
        let own = entries.indices.filter { entries[$0].state == .sending(owner) }
        for index in own { entries[index].state = .waiting }
        return own.map { entries[$0].id }
    }

    mutating func drop(_ id: String) { entries.removeAll { $0.id == id } }

    mutating func acknowledge(_ id: String) {
        entries.removeAll { $0.id == id && $0.state == .done }
        if let index = index(id), entries[index].state == .dead { entries[index].isAcknowledged = true }
    }

    mutating func revive(_ id: String, now: Int64) {
        look(at: now)
        guard let index = index(id) else { return }
        switch entries[index].state {
        case .waiting: entries[index].due = now
        case .dead:
            entries[index].state = .waiting
            (entries[index].due, entries[index].created, entries[index].born) = (now, now, clock)
            (entries[index].attempts, entries[index].rejections) = (0, 0)
            (entries[index].isAcknowledged, entries[index].outcome) = (false, 0)
        case .done, .sending, .writing: break
        }
    }

    mutating func expire(now: Int64, time: Int64) {
        step(now: now, time: time)
        entries.removeAll { $0.state == .done && $0.ended < clock - limits.resultAge }
        let wall = (QueueFile.earliestWall + 1)..<(now - 2 * limits.age)
        for index in entries.indices where entries[index].state == .waiting {
            let entry = entries[index]
            if entry.born < clock - limits.age || hasOwnTime && wall.contains(entry.created) {
                entries[index].end(.dead, clock: clock, now: now)
            }
        }
    }

    /// One line for each entry, as `FileUnderTest.lines` writes it.
    var lines: [String] {
        entries.sorted { $0.order < $1.order }.map { entry in
            let state =
                switch entry.state {
                case .writing: "writing"
                case .waiting: "waiting"
                case .sending(let owner): "sending \(owner)"
                case .done: "done"
                case .dead: "dead"
                }
            return "\(entry.id) \(state) \(entry.attempts) \(entry.rejections)"
        }
    }
}
