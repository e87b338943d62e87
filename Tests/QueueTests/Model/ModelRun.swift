import PlugboardKit
import PlugboardSQLite
import Synchronization
import TestSupport

@_spi(QueueStores) @testable import PlugboardQueue

/// A store, its model, and two processes that work on it.
final class ModelRun {
    /// A process, by the name under which it holds requests.
    struct Process {
        let index: Int
        let owner: String
    }

    var model: QueueModel
    private var random: SeededRandom
    private let bench: any ModelBench
    /// How often there was no room, and how many requests were dropped for it.
    private(set) var (refusals, drops) = (0, 0)
    /// Bodies that are being written: the request, and the process.
    private var begun: [(id: String, sequence: Int64, process: Int, category: String?)] = []
    private let ended = Record()
    private var files: [Process] = []
    private var owners = 0
    private var ids = 0
    private var now: Int64 = 1_700_000_000_000_000_000
    private var time: Int64 = 1_000_000_000
    private let limits: QueueLimits
    private static let origins = ["http://a.test", "http://b.test"]

    init(seed: UInt64, _ limits: QueueLimits, _ bench: any ModelBench) {
        random = SeededRandom(seed: seed)
        model = QueueModel(limits, hasOwnTime: bench.hasOwnTime)
        self.limits = limits
        self.bench = bench
        files = [process(0), process(1)]
    }

    private func process(_ index: Int) -> Process {
        owners += 1
        return Process(index: index, owner: "p\(owners)")
    }

    /// The processes that others see to have ended. On another machine only their leases tell.
    private var gone: [String] { bench.hasOwnTime ? ended.lines : [] }

    private func perform<Value: Sendable>(
        _ file: Process? = nil,
        _ work: @escaping @Sendable (any QueueSession) throws(SQLiteFailure) -> Value
    ) throws -> Value {
        let (file, ended) = (file ?? files[0], ended)
        return try bench.perform(file, limits, isGone: { ended.lines.contains($0) }, work)
    }

    private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    /// One step of one process; returns what it was.
    func step() throws -> String {
        let process = chance(2)
        let file = files[process]
        let (now, time) = (now, time)
        switch chance(25) {
        case 0..<7: return try add(file, process)
        case 7..<11:
            let count = 1 + chance(3)
            // What this process knows of the network.
            let paused = Set(ModelRun.origins.filter { _ in chance(4) == 0 })
            let proven = chance(2) == 0 ? nil : Set(ModelRun.origins.filter { _ in chance(2) == 0 })
            let claimed = try perform(file) { (session) throws(SQLiteFailure) in
                try session.claim(QueueClaim(count: count, paused: paused, proven: proven), now: now, time: time)
                    .entries.map(\.id)
            }
            let expected = model.claim(
                count, except: paused, proven: proven, now: now, time: time, owner: file.owner)
            guard claimed == expected else { throw ModelError("\(file.owner) claims \(claimed), not \(expected)") }
            return "\(file.owner) claims \(claimed)"
        case 11..<16: return try settle(file)
        case 16:
            // kill -9, and a new process in its place.
            ended.add(file.owner)
            files[process] = self.process(process)
            begun.removeAll { $0.process == process }
            return "\(file.owner) ends"
        case 17:
            self.time += Int64(chance(40)) * 1_000_000_000
            return "time passes"
        case 18:
            _ = try perform(file) { (session) throws(SQLiteFailure) in try session.renew(time: time) }
            model.renew(time: time, owner: file.owner)
            return "\(file.owner) renews"
        case 19:
            // The wall clock goes on, or is set.
            self.now += [1, 60, 400, -7200, 5000][chance(5)] * 1_000_000_000
            let expired = self.now
            _ = try perform(file) { (session) throws(SQLiteFailure) in
                try session.expire(now: expired, time: time, isStart: true)
            }
            model.expire(now: expired, time: time)
            return "the clock is \(expired)"
        case 20: return try takeBack(file)
        case 21:
            // It ends in an orderly way.
            try perform(file) { (session) throws(SQLiteFailure) in try session.leave() }
            model.release(file.owner)
            begun.removeAll { $0.process == process }
            return "\(file.owner) leaves"
        case 22: return try begin(file, process)
        case 23: return try putBack(file)
        default: return try choose(file)
        }
    }

    /// The first pieces of a body.
    private func begin(_ file: Process, _ process: Int) throws -> String {
        ids += 1
        let (id, now, time) = ("r\(ids)", now, time)
        // That of a request that is sent when it is complete.
        let category = ["a", "b", nil, nil][chance(4)]
        let line = NewEntry.line(category, nil)
        let sequence = try perform(file) { (session) throws(SQLiteFailure) in
            let sequence = try session.begin(id, holding: line, now: now, time: time)
            for number in 0..<2 { _ = try session.append([1, 2, 3], number, to: sequence) }
            return sequence
        }
        model.begin(id, holding: line, bytes: 6, now: now, time: time, owner: file.owner)
        begun.append((id, sequence, process, category))
        return "\(file.owner) begins \(id)\(category.map { ", which holds \($0)" } ?? "")"
    }

    private func add(_ file: Process, _ process: Int) throws -> String {
        // One whose body is complete now, or another.
        let begun = begun.firstIndex { $0.process == process && chance(2) == 0 }.map { self.begun.remove(at: $0) }
        // Its lease may have ended, and another process have removed it.
        if let begun, !model.entries.contains(where: { $0.id == "\(begun.id) \(file.owner)" }) {
            return "\(begun.id) is gone"
        }
        if begun == nil { ids += 1 }
        var entry = NewEntry(
            id: begun?.id ?? "r\(chance(20) == 0 ? max(ids - 5, 1) : ids)", method: ["PUT", "DELETE"][chance(2)],
            url: ModelRun.origins[chance(2)] + "/",
            head: "{}")
        entry.category = ["a", "b", nil, nil][chance(4)]
        entry.priority = chance(4) == 0 ? chance(3) : 0
        if chance(3) == 0 { entry.collapse = (["k", "l"][chance(2)], chance(2) == 0 ? .replace : .cancel) }
        entry.isTouched = chance(3) == 0
        entry.isJournal = chance(6) == 0
        if let begun {
            entry.category = begun.category ?? entry.category
            entry.isJournal = begun.category != nil || entry.isJournal && entry.line == nil
        }
        // It has failed while others of its line were queued.
        entry.isFirst = !entry.isJournal && chance(6) == 0
        if chance(3) == 0 { (entry.length, entry.rest) = (3, [1, 2, 3]) }
        if chance(8) == 0 { (entry.length, entry.rest) = (200, [UInt8](repeating: 1, count: 200)) }
        if chance(8) == 0 { entry.context = "context" }
        if let begun { (entry.length, entry.rest, entry.begun) = (7, [4], (begun.sequence, 2)) }
        let (new, now, time) = (entry, now, time)
        let added = try perform(file) { (session) throws(SQLiteFailure) in
            try session.add([new], now: now, time: time)
        }
        let placement = added.placements[0]
        drops += added.dropped.count
        if placement == .full { refusals += 1 }
        let expected = model.add(
            entry, begun: begun.map { "\($0.id) \(file.owner)" }, now: now, time: time, owner: file.owner)
        guard placement == expected else { throw ModelError("\(entry.id) is \(placement), not \(expected)") }
        return "\(file.owner) adds \(entry.id) to \(entry.line ?? "no line"): \(placement)"
    }

    /// Also by a process whose request was taken back: then nothing must change.
    private func settle(_ file: Process) throws -> String {
        let sending = model.entries.filter { if case .sending = $0.state { true } else { false } }
        guard !sending.isEmpty else { return "nothing is sent" }
        let entry = sending[chance(sending.count)]
        let error = PlugboardError(.transportConnect, "why")
        let settlement: Settlement =
            switch chance(6) {
            case 0..<3: .done(DeliveredResponse(status: 200, fields: "[]", body: []))
            case 3: .dead(error, nil)
            case 4: .waiting(error, until: now, counts: .nothing, isTouched: chance(2) == 0)
            default:
                .waiting(
                    error, until: now + Int64(chance(300)) * 1_000_000_000,
                    counts: [.attempt, .rejection, .failure][chance(3)], isTouched: true)
            }
        let (now, id) = (now, entry.id)
        let isSettled = try perform(file) { (session) throws(SQLiteFailure) in
            guard let sequence = try session.sequence(of: id) else { return false }
            return try session.settle(sequence, settlement, now: now)
        }
        let expected = model.settle(entry.id, settlement, now: now, owner: file.owner)
        guard isSettled == expected else { throw ModelError("\(entry.id) is settled: \(isSettled), not \(expected)") }
        return "\(file.owner) settles \(entry.id): \(settlement)"
    }

    /// Requests that were taken and not sent wait again.
    private func putBack(_ file: Process) throws -> String {
        let ids = model.putBack(owner: file.owner)
        try perform(file) { (session) throws(SQLiteFailure) in
            var sequences: [Int64] = []
            for id in ids { if let sequence = try session.sequence(of: id) { sequences.append(sequence) } }
            try session.putBack(sequences)
        }
        return "\(file.owner) puts back \(ids)"
    }

    private func takeBack(_ file: Process) throws -> String {
        let (now, time) = (now, time)
        try perform(file) { (session) throws(SQLiteFailure) in
            try session.takeBack(running: nil, now: now, time: time)
        }
        model.takeBack(time: time, owner: file.owner, ended: gone)
        return "\(file.owner) takes back"
    }

    private func choose(_ file: Process) throws -> String {
        let known = model.entries.filter { if case .writing = $0.state { false } else { true } }
        guard !known.isEmpty else { return "nothing to choose" }
        let id = known[chance(known.count)].id
        let now = now
        switch chance(3) {
        case 0:
            _ = try perform(file) { (session) throws(SQLiteFailure) in try session.drop(Selection(id: id)) }
            model.drop(id)
            return "\(id) is dropped"
        case 1:
            _ = try perform(file) { (session) throws(SQLiteFailure) in try session.acknowledge([id]) }
            model.acknowledge(id)
            return "\(id) is acknowledged"
        default:
            _ = try perform(file) { (session) throws(SQLiteFailure) in
                try session.revive(Selection(id: id), now: now)
            }
            model.revive(id, now: now)
            return "\(id) is sent again"
        }
    }

    /// After everything a process takes what there is, until there is nothing.
    func deliverAll() throws {
        for file in files { ended.add(file.owner) }
        let last = process(0)
        time += limits.lease + 1
        let (start, time) = (now, time)
        try perform(last) { (session) throws(SQLiteFailure) in
            try session.takeBack(running: nil, now: start, time: time)
        }
        model.takeBack(time: time, owner: last.owner, ended: gone)
        while true {
            now += 400_000_000_000
            let now = now
            let claimed = try perform(last) { (session) throws(SQLiteFailure) in
                try session.claim(QueueClaim(count: 2), now: now, time: time).entries
            }
            guard claimed.map(\.id) == model.claim(2, now: now, time: time, owner: last.owner) else {
                throw ModelError("the last process claims \(claimed.map(\.id))")
            }
            if claimed.isEmpty { return }
            for entry in claimed {
                let done = Settlement.done(DeliveredResponse(status: 200, fields: "[]", body: []))
                _ = try perform(last) { (session) throws(SQLiteFailure) in
                    try session.settle(entry.sequence, done, now: now)
                }
                _ = model.settle(entry.id, done, now: now, owner: last.owner)
            }
        }
    }

    func lines() throws -> [String] {
        try bench.rows("SELECT id, state, owner, attempts, rejections FROM @request ORDER BY sequence").map { row in
            let state = EntryState(rawValue: Int64(row[1]) ?? 5) ?? .dead
            let owner = state == .sending ? " \(row[2])" : ""
            return "\(row[0]) \(state.name)\(owner) \(row[3]) \(row[4])"
        }
    }

    /// What must hold at all times: of a line at most one is ready or sent, and none waits while none is; the totals
    /// are those of the rows; and no piece is without its request.
    func brokenLines() throws -> [String] {
        try bench.rows(
            """
            SELECT line FROM @request WHERE line IS NOT NULL GROUP BY line
            HAVING count(*) FILTER (WHERE state IN (1, 3)) > 1
                OR count(*) FILTER (WHERE state = 0) > 0 AND count(*) FILTER (WHERE state = 1) > 0
                OR count(*) FILTER (WHERE state = 2) > 0 AND count(*) FILTER (WHERE state IN (0, 1, 3)) = 0
            UNION ALL SELECT 'total' FROM \(bench.total) total
                WHERE requests <> (SELECT count(*) FROM @request WHERE state <> 4)
                OR dead <> (SELECT count(*) FROM @request WHERE state = 5)
                OR outcomes <> (SELECT count(*) FROM @request WHERE state = 4)
                OR bytes <> (SELECT coalesce(sum(size), 0) FROM @request)
            UNION ALL SELECT 'piece' FROM @piece p
                WHERE p.request NOT IN (SELECT coalesce(body, sequence) FROM @request)\(bench.remains)
            """
        ).map { $0[0] }
    }
}

struct ModelError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
