import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite
import Synchronization

/// Uses the queue's engine, on its thread. Writes requests that are added at the same time in one transaction.
final class QueueStore: Sendable {
    private struct Addition {
        let entry: NewEntry
        let done: @Sendable (Result<Placement, PlugboardError>) -> Void
        let dropped: @Sendable ([DroppedEntry]) -> Void
    }

    private let host: PluginHost
    private let lease: Duration
    private let engine: any QueueEngine
    // The requests in the file, of all processes that share it, when this process last used it.
    private let pending: PluginHost.Gauge
    private let dead: PluginHost.Gauge
    private let additions = Mutex<[Addition]>([])
    private let isClosed = Atomic(false)
    private let isSweeping = Atomic(false)
    /// Whether the failure of a survey was logged.
    private let hasWarned = Atomic(false)

    init(_ engine: any QueueEngine, lease: Duration, host: PluginHost) {
        (self.engine, self.lease, self.host) = (engine, lease, host)
        pending = host.gauge("length", ["state": "pending"])
        dead = host.gauge("length", ["state": EntryState.dead.name])
    }

    /// What shows writes of other processes. From any thread.
    var stamp: FileStamp? { engine.stamp }

    private var now: Int64 { host.wallClock.nanoseconds }
    private var time: Int64 { host.now.nanoseconds }

    /// Performs work after all earlier work. `then` runs on the store's thread.
    ///
    /// - Parameter patience: How long the work is repeated while another process writes or has the file open.
    func perform<Value: Sendable>(
        within patience: Duration = .seconds(5),
        _ work:
            @escaping @Sendable (any QueueSession, _ now: Int64, _ time: Int64) throws(SQLiteFailure) -> Value,
        then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void = { _ in }
    ) {
        perform(until: host.now + patience, work, then)
    }

    private func perform<Value: Sendable>(
        until end: Duration,
        _ work:
            @escaping @Sendable (any QueueSession, _ now: Int64, _ time: Int64) throws(SQLiteFailure) -> Value,
        _ then: @escaping @Sendable (Result<Value, SQLiteFailure>) -> Void
    ) {
        engine.perform(
            { [self] (session) throws(SQLiteFailure) in
                let value = try work(session, now, time)
                // The work is done, so a failure of the survey must not fail it.
                do throws(SQLiteFailure) {
                    if let survey = try session.survey() { note(survey) }
                } catch {
                    if error.kind != .busy, !hasWarned.exchange(true, ordering: .relaxed) {
                        host.log(.warning, "The length of the queue cannot be read from its file. \(error.message)")
                    }
                }
                return value
            },
            then: { [self] result in
                guard case .failure(let failure) = result, failure.kind == .busy, host.now < end,
                    !isClosed.load(ordering: .relaxed)
                else { return then(result) }
                host.schedule(after: .milliseconds(50)) { [self] in perform(until: end, work, then) }
            })
    }

    private func note(_ survey: QueueSurvey) {
        pending.set(survey.pending)
        dead.set(survey.dead)
        if survey.hasRemains { sweep() }
    }

    /// Removes what is left of large bodies, with pauses for other processes.
    private func sweep() {
        guard !isSweeping.exchange(true, ordering: .relaxed) else { return }
        host.schedule(after: .milliseconds(10)) { [self] in
            engine.perform { [self] (session) throws(SQLiteFailure) in
                defer { isSweeping.store(false, ordering: .relaxed) }
                try session.sweep()
            } then: { [self] result in
                if case .success = result { perform { (_, _, _) throws(SQLiteFailure) in } }
            }
        }
    }

    // MARK: Adding

    /// Adds a request; `done` runs on the store's thread when it is on the disk, and `dropped` with the requests that
    /// were dropped to make room.
    func add(
        _ entry: NewEntry, done: @escaping @Sendable (Result<Placement, PlugboardError>) -> Void,
        dropped: @escaping @Sendable ([DroppedEntry]) -> Void = { _ in }
    ) {
        let isFirst = additions.withLock { additions in
            additions.append(Addition(entry: entry, done: done, dropped: dropped))
            return additions.count == 1
        }
        if !isFirst { return }
        let batch = Mutex<[Addition]>([])
        // Tried again for as long as a lease, because these requests must be kept.
        perform(within: lease) {
            [self] (session, now, time) throws(SQLiteFailure) -> (added: Added, refused: [Int: SQLiteFailure]) in
            let new = takeAdditions()
            let taken = batch.withLock { batch in
                // Not empty where a connection was lost, and the work is repeated.
                batch += new
                return batch
            }
            if taken.isEmpty { return (Added(), [:]) }
            do throws(SQLiteFailure) {
                return (try session.add(taken.map(\.entry), now: now, time: time), [:])
            } catch {
                // They are tried again, before the additions that have come meanwhile.
                if error.kind == .busy {
                    batch.withLock { $0 = [] }
                    additions.withLock { $0 = taken + $0 }
                }
                guard error.kind == .other, taken.count > 1 else { throw error }
            }
            // One of them cannot be stored. In their order, because they may be of one line.
            var (added, refused) = (Added(), [Int: SQLiteFailure]())
            for (index, addition) in taken.enumerated() {
                do throws(SQLiteFailure) {
                    let one = try session.add([addition.entry], now: now, time: time)
                    added.placements += one.placements
                    added.dropped += one.dropped
                } catch {
                    guard error.kind == .other else { throw error }
                    added.placements.append(.full)
                    refused[index] = error
                }
            }
            return (added, refused)
        } then: { [self] result in
            let taken = batch.withLock { $0 }
            switch result {
            case .success((let added, let refused)):
                for (index, (addition, placement)) in zip(taken, added.placements).enumerated() {
                    addition.done(refused[index].map { .failure(QueueStore.error($0)) } ?? .success(placement))
                }
                if !added.dropped.isEmpty { taken.first?.dropped(added.dropped) }
            case .failure(let failure):
                // Without any, the store is closed, the file could not be opened, or it was busy all the time.
                for addition in taken.isEmpty ? takeAdditions() : taken {
                    addition.done(.failure(QueueStore.error(failure)))
                }
            }
        }
    }

    private func takeAdditions() -> [Addition] {
        additions.withLock { additions in
            defer { additions = [] }
            return additions
        }
    }

    /// Writes a piece of a body. Called on a loop, where `done` runs too, with the entry that the pieces belong to.
    ///
    /// - Parameter line: The line that the entry holds while it is written.
    func append(
        _ bytes: [UInt8], to begun: (sequence: Int64, pieces: Int)?, id: String, holding line: String?,
        done: @escaping @Sendable (Result<(sequence: Int64, pieces: Int), PlugboardError>) -> Void
    ) {
        let loop = host.currentLoop
        perform(within: lease) {
            (session, now, time) throws(SQLiteFailure) -> (sequence: Int64, pieces: Int) in
            try session.together(removes: false) { () throws(SQLiteFailure) in
                let sequence: Int64
                if let begun {
                    sequence = begun.sequence
                } else {
                    sequence = try session.begin(id, holding: line, now: now, time: time)
                }
                let pieces = begun?.pieces ?? 0
                guard try session.append(bytes, pieces, to: sequence) else {
                    throw SQLiteFailure(
                        code: 1, message: "Another process has removed the request while its body was written.")
                }
                return (sequence, pieces + 1)
            }
        } then: { [host] result in
            host.schedule(after: .zero, on: loop) { done(result.mapError { QueueStore.error($0) }) }
        }
    }

    /// Removes an entry whose body could not be written. It must not stay, because it may block its line.
    func discard(_ sequence: Int64) {
        perform { (session, _, _) throws(SQLiteFailure) in
            try session.together(removes: true) { () throws(SQLiteFailure) in try session.discard(sequence) }
        } then: { [self] result in
            guard case .failure(let failure) = result, failure.kind != .closed else { return }
            host.schedule(after: .seconds(1)) { [self] in discard(sequence) }
        }
    }

    /// Lets requests that were being sent wait again, for other processes or the next start.
    func close(within limit: Duration) {
        isClosed.store(true, ordering: .relaxed)
        perform { (session, _, _) throws(SQLiteFailure) in try session.leave() }
        engine.close(within: limit)
    }

    /// Makes the tables, or brings them up to this version.
    func migrate(then: @escaping @Sendable (Result<String, SQLiteFailure>) -> Void) { engine.migrate(then: then) }

    static func error(_ failure: SQLiteFailure) -> PlugboardError {
        PlugboardError(
            failure.kind == .full ? .queueFull : .queueFile,
            failure.kind == .readOnly ? readOnly : "The store of the queue cannot be used. \(failure.message)")
    }

    static let readOnly = "The file of the queue can be read only."
}
