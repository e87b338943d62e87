import PlugboardKit

@testable import PlugboardQueue

/// What the README's table says, in plain code: the file is compared with it.
struct QueueModel {
    enum State: Equatable { case waiting, sending(String), done, dead }

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

    mutating func add(_ new: NewEntry, now: Int64, time: Int64, owner: String) -> Admission {
        step(now: now, time: time)
        if index(new.id) != nil { return .known }
        var isCancelled = false
        var isTouched = new.isTouched || new.isJournal
        if let collapse = new.collapse {
            for index in entries.indices
            where entries[index].state == .waiting && entries[index].line == new.line
                && entries[index].collapse?.key == collapse.key
            {
                if collapse.rule == .cancel, !entries[index].isTouched,
                    entries[index].method != new.method || entries[index].url != new.url
                {
                    isCancelled = true
                }
                if entries[index].isTouched { isTouched = true }
                entries[index].state = .done
                entries[index].ended = clock
            }
        }
        order += 1
        var entry = Entry(
            id: new.id, line: new.line, collapse: new.collapse, priority: new.priority, method: new.method,
            url: new.url, order: order,
            state: new.isJournal ? .sending(owner) : .waiting, due: now, born: clock,
            isTouched: isTouched, lease: time + limits.lease)
        if isCancelled, !new.isJournal { (entry.state, entry.ended) = (.done, clock) }
        entries.append(entry)
        return isCancelled && !new.isJournal ? .cancelled : .queued
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
        case .done: (entries[index].state, entries[index].ended) = (.done, clock)
        case .dead: (entries[index].state, entries[index].ended) = (.dead, clock)
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
        for index in entries.indices where entries[index].state == .sending(owner) {
            entries[index].lease = time + limits.lease
        }
    }

    /// Takes back what others were sending that have ended, or have not renewed their lease.
    mutating func takeBack(time: Int64, owner: String, ended: [String]) {
        var leases: [String: Int64] = [:]
        for entry in entries {
            if case .sending(let other) = entry.state { leases[other] = max(leases[other] ?? 0, entry.lease) }
        }
        for (other, lease) in leases where other != owner && (ended.contains(other) || lease < time) {
            release(other)
        }
    }

    private mutating func release(_ owner: String) {
        for index in entries.indices where entries[index].state == .sending(owner) {
            entries[index].state = .waiting
            entries[index].isTouched = true
        }
    }

    mutating func drop(_ id: String) { entries.removeAll { $0.id == id } }

    mutating func acknowledge(_ id: String) { entries.removeAll { $0.id == id && $0.state == .done } }

    mutating func revive(_ id: String, now: Int64) {
        guard let index = index(id) else { return }
        switch entries[index].state {
        case .waiting: entries[index].due = now
        case .dead:
            entries[index].state = .waiting
            (entries[index].due, entries[index].born) = (now, clock)
            (entries[index].attempts, entries[index].rejections) = (0, 0)
        case .done, .sending: break
        }
    }

    mutating func expire(now: Int64, time: Int64) {
        step(now: now, time: time)
        entries.removeAll { $0.state == .done && $0.ended < clock - limits.resultAge }
        for index in entries.indices
        where entries[index].state == .waiting && entries[index].born < clock - limits.age {
            (entries[index].state, entries[index].ended) = (.dead, clock)
        }
    }

    /// One line for each entry, as `FileUnderTest.lines` writes it.
    var lines: [String] {
        entries.sorted { $0.order < $1.order }.map { entry in
            let state =
                switch entry.state {
                case .waiting: "waiting"
                case .sending(let owner): "sending \(owner)"
                case .done: "done"
                case .dead: "dead"
                }
            return "\(entry.id) \(state) \(entry.attempts) \(entry.rejections)"
        }
    }
}
