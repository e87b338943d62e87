import PlugboardKit

@testable import PlugboardQueue

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
        /// By the file's own time.
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
    let limits: QueueFile.Limits

    init(_ limits: QueueFile.Limits) { self.limits = limits }

    private mutating func step(now: Int64, time: Int64) {
        clock += min(max(now - wall, time - lastTime, 0), min(limits.age, limits.resultAge) / 2)
        (wall, lastTime) = (max(wall, now), time)
    }

    private func index(_ id: String) -> Int? { entries.firstIndex { $0.id == id } }

    mutating func add(
        _ new: NewEntry, begun: String? = nil, now: Int64, time: Int64, owner: String
    ) -> Admission {
        step(now: now, time: time)
        // The pieces that were written are the new request's, or go.
        let begun = begun.flatMap { id in entries.first { $0.id == id } }
        defer { limitOutcomes() }
        if index(new.id) != nil {
            entries.removeAll { $0.id == begun?.id }
            return .known
        }
        var isCancelled = false
        var isTouched = new.isTouched || new.isJournal
        let same = entries.indices.filter {
            new.collapse != nil && entries[$0].state == .waiting && entries[$0].line == new.line
                && entries[$0].collapse?.key == new.collapse?.key
        }
        for index in same where new.collapse?.rule == .cancel && !entries[index].isTouched && !new.isJournal {
            if entries[index].method != new.method || entries[index].url != new.url { isCancelled = true }
        }
        if !isCancelled, !makeRoom(new, replacing: same.map { entries[$0].id }, begun, now) {
            entries.removeAll { $0.id == begun?.id }
            return .full
        }
        for index in entries.indices
        where new.collapse != nil && entries[index].state == .waiting && entries[index].line == new.line
            && entries[index].collapse?.key == new.collapse?.key
        {
            if entries[index].isTouched { isTouched = true }
            entries[index].end(.done, clock: clock, now: now)
        }
        entries.removeAll { $0.id == begun?.id }
        order += 1
        var entry = Entry(
            id: new.id, line: new.line, collapse: new.collapse, priority: new.priority, method: new.method,
            url: new.url, order: order,
            state: new.isJournal ? .sending(owner) : .waiting, due: now, born: clock,
            isTouched: isTouched, lease: time + limits.lease, length: isCancelled ? -1 : new.length,
            head: new.head.utf8.count, context: new.context?.utf8.count ?? 0)
        if isCancelled { entry.end(.done, clock: clock, now: now) }
        entries.append(entry)
        return isCancelled ? .cancelled : .queued
    }

    private var requests: Int { entries.count { $0.state != .done } }
    private var bytes: Int { entries.reduce(0) { $0 + $1.size } }

    private func oldest(_ state: State) -> [Entry] {
        entries.filter { $0.state == state }.sorted { ($0.completed, $0.order) < ($1.completed, $1.order) }
    }

    /// What the README says of `limit`, `bytes` and `whenFull`.
    private mutating func makeRoom(
        _ new: NewEntry, replacing same: [String], _ begun: Entry?, _ now: Int64
    ) -> Bool {
        guard new.size <= limits.bytes else { return false }
        let before = entries
        let lengths = entries.filter { same.contains($0.id) }.reduce(0) { $0 + max($1.length, 0) }
        func isOver(_ model: QueueModel) -> (requests: Bool, bytes: Bool) {
            (
                model.requests + 1 - same.count - (begun == nil ? 0 : 1) > limits.requests,
                model.bytes + new.size - lengths - (begun?.size ?? 0) > limits.bytes
            )
        }
        for entry in oldest(.dead) where entry.isAcknowledged && isOver(self) != (false, false) { drop(entry.id) }
        for entry in oldest(.done) where isOver(self).bytes { drop(entry.id) }
        if limits.dropsOldest {
            let waiting = entries.filter { $0.state == .waiting && !same.contains($0.id) }
            for entry in waiting.sorted(by: { ($0.priority, $0.order) < ($1.priority, $1.order) })
            where isOver(self) != (false, false) {
                guard let index = index(entry.id) else { continue }
                entries[index].end(.done, clock: clock, now: now)
                (entries[index].length, entries[index].head) = (-1, #"{"fields":[]}"#.utf8.count)
            }
        }
        if isOver(self) == (false, false) { return true }
        entries = before
        return false
    }

    private mutating func limitOutcomes() {
        let outcomes = oldest(.done)
        for entry in outcomes.prefix(max(outcomes.count - limits.requests, 0)) { drop(entry.id) }
    }

    mutating func begin(_ id: String, bytes: Int, now: Int64, time: Int64, owner: String) {
        order += 1
        entries.append(
            Entry(
                id: "\(id) \(owner)", priority: 0, method: "", url: "", order: order, state: .writing(owner), due: now,
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
        let sending = Set(
            entries.filter { if case .sending = $0.state { true } else { false } }.compactMap(\.line))
        let waiting = entries.filter { $0.state == .waiting }
        let first = waiting.filter { entry in
            guard let line = entry.line else { return true }
            return !sending.contains(line) && !waiting.contains { $0.line == line && QueueModel.precedes($0, entry) }
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

    mutating func drop(_ id: String) { entries.removeAll { $0.id == id } }

    mutating func acknowledge(_ id: String) {
        entries.removeAll { $0.id == id && $0.state == .done }
        if let index = index(id), entries[index].state == .dead { entries[index].isAcknowledged = true }
    }

    mutating func revive(_ id: String, now: Int64) {
        guard let index = index(id) else { return }
        switch entries[index].state {
        case .waiting: entries[index].due = now
        case .dead:
            entries[index].state = .waiting
            (entries[index].due, entries[index].born) = (now, clock)
            (entries[index].attempts, entries[index].rejections) = (0, 0)
            (entries[index].isAcknowledged, entries[index].outcome) = (false, 0)
        case .done, .sending, .writing: break
        }
    }

    mutating func expire(now: Int64, time: Int64) {
        step(now: now, time: time)
        entries.removeAll { $0.state == .done && $0.ended < clock - limits.resultAge }
        for index in entries.indices
        where entries[index].state == .waiting && entries[index].born < clock - limits.age {
            entries[index].end(.dead, clock: clock, now: now)
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
