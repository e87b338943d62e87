import PlugboardKit
import PlugboardRedisOptions
import PlugboardStore
import Synchronization

/// Carries commands out, and knows whether the server is out. `RedisEngine+Connecting` says how it connects.
///
///     starting ── connected ─▶ up ── a loss ─▶ down ── connected ─▶ up …       stopped
///     commands wait            are sent        fail at once                    fail at once
///
/// One connection has the commands of all loops, because those for one key take effect in the order of the calls. A
/// second one gets the changes of keys. The loss of one is the loss of both.
final class RedisEngine: StoreEngine {
    typealias Done = @Sendable (Result<StoreReply, StoreFailure>) -> Void

    enum Phase {
        case starting, up, stopped
        case down(String)
    }

    struct State {
        var phase = Phase.starting
        var hasBegun = false
        /// The commands of the first attempt to connect.
        var waiting: [(command: StoreCommand, service: StoreService, done: Done)] = []
        /// What belongs to connections with an earlier number is ignored.
        var number = 0
        var connections: Connections?
        /// The attempts to connect that have failed, one after the other.
        var failures = 0
        var target: Result<Target, PlugboardError>?
        var readers = KeyReaders()
        /// Who is told of changes.
        weak var service: StoreService?

        var isUp: Bool { if case .up = phase { true } else { false } }

        /// Ends the connections; returns the commands without a reply, and those that wait if they are to end, too.
        mutating func close(endsWaiting: Bool = true) -> Pending {
            number += 1
            let takes = connections.map { $0.main.close() + $0.changes.close() } ?? []
            defer { if endsWaiting { waiting = [] } }
            (connections, readers) = (nil, KeyReaders())
            return Pending(takes: takes, waiting: endsWaiting ? waiting.map(\.done) : [])
        }
    }

    /// Commands without a reply, which end when the lock is free.
    struct Pending: Sendable {
        let takes: [RedisConnection.Take]
        let waiting: [Done]

        func fail(_ reason: String) {
            for take in takes { take(nil) }
            for done in waiting { done(.failure(StoreFailure(.down, reason))) }
        }
    }

    /// Both connections to the server.
    struct Connections: Sendable {
        let main: RedisConnection
        let changes: RedisConnection
        /// The number of `changes` on the server.
        var changesID: Int64 = 0
        var digests: [String] = []
    }

    let name = "redis"
    let host: PluginHost
    let server: RedisServer
    let silence: Duration
    let outages: PluginHost.Counter
    let state = Mutex(State())
    private let names: RedisNames

    init(_ server: RedisServer, _ settings: RedisSettings, _ host: PluginHost) {
        (self.server, self.host, silence) = (server, host, settings.silence)
        names = RedisNames(prefix: settings.prefix)
        outages = host.counter("outages")
    }

    func perform(_ command: StoreCommand, for service: StoreService, _ done: @escaping Done) {
        let now = host.now
        var isStarting = false
        let failure = state.withLock { state -> StoreFailure? in
            switch state.phase {
            case .starting:
                isStarting = true
                state.waiting.append((command, service, done))
            case .up: send(command, for: service, at: now, &state, done)
            case .down(let reason): return StoreFailure(.down, reason)
            case .stopped: return StoreFailure(.down, "The store has stopped.")
            }
            return nil
        }
        if let failure { done(.failure(failure)) }
        if isStarting { begin() }
    }

    func unwatch(_ watch: StoreWatch) { state.withLock { $0.readers.remove(watch) } }

    /// Ends when the server has carried out what was sent, or is lost.
    func stop() async {
        let now = host.now
        await withCheckedContinuation { continuation in
            let isSent = state.withLock { state in
                guard state.isUp, let main = state.connections?.main else { return false }
                main.send(RedisCommand(["PING"]), at: now) { _ in continuation.resume() }
                return true
            }
            if !isSent { continuation.resume() }
        }
        let pending = state.withLock { state in
            state.phase = .stopped
            return state.close()
        }
        pending.fail("The store has stopped.")
    }

    // MARK: Under the lock

    /// Sends a command on the connection that is up.
    func send(
        _ command: StoreCommand, byText: Bool = false, for service: StoreService, at now: Duration,
        _ state: inout State, _ done: @escaping Done
    ) {
        guard let connections = state.connections else { return }
        let (main, number) = (connections.main, state.number)
        if case .get(let keys, let watch?) = command {
            state.service = service
            if state.readers.isFull {
                state.readers = KeyReaders()
                service.changedAll()
            }
            for key in keys { state.readers.add(watch, key, names.value(key)) }
            // The server remembers the keys of the next command only.
            main.send(RedisCommand(["CLIENT", "CACHING", "YES"]), at: now, expecting("CLIENT CACHING", number))
        }
        let wire = RedisWire(names: names, digests: connections.digests)
        let place = main.sentCount + 1
        main.send(wire.command(command, byText: byText), at: now) { [weak self] reply in
            guard let reply else { return done(.failure(StoreFailure(.down, "The connection to Redis has ended."))) }
            if byText || !reply.isError("NOSCRIPT") {
                self?.finish(command, reply, number, done)
            } else if self?.sendAgain(command, at: place, number, for: service, done) != true {
                done(.failure(StoreFailure(.down, "Redis has lost its scripts, which are loaded again.")))
            }
        }
    }

    // MARK: On the loop, when replies come

    private func finish(_ command: StoreCommand, _ reply: RedisReply, _ number: Int, _ done: Done) {
        guard let result = RedisWire.result(of: command, reply) else {
            done(.failure(StoreFailure(.down, "Redis replied with what cannot be the reply to the command.")))
            // Replies may be those of other commands from here on.
            return lost("it replied with what cannot be the reply to a command", number)
        }
        done(result)
        // A replica: the name may have another address by now.
        if reply.isError("READONLY") { lost("it does not accept writes (READONLY)", number) }
    }

    /// Sends a command with the text of its script. False if others were sent after it, which may be for the same key
    /// and have taken effect; the script is loaded for the next ones.
    private func sendAgain(
        _ command: StoreCommand, at place: Int, _ number: Int, for service: StoreService, _ done: @escaping Done
    ) -> Bool {
        let now = host.now
        return state.withLock { state in
            guard state.isUp, state.number == number, let main = state.connections?.main else { return false }
            if main.sentCount == place {
                send(command, byText: true, for: service, at: now, &state, done)
                return true
            }
            for script in RedisScript.allCases {
                main.send(RedisCommand(["SCRIPT", "LOAD", script.text]), at: now, expecting("SCRIPT LOAD", number))
            }
            return false
        }
    }

    /// A message of the second connection.
    func changed(_ message: RedisReply) {
        guard case .array(let parts) = message, parts.count == 3, parts[0].text == "message" else { return }
        let (service, told) = state.withLock { state in
            guard case .array(let names) = parts[2] else {
                state.readers = KeyReaders()
                return (state.service, [(key: String, watches: Set<StoreWatch>)]?.none)
            }
            return (state.service, names.compactMap { $0.text.flatMap { state.readers.take($0) } })
        }
        guard let told else {
            service?.changedAll()
            return
        }
        for (key, watches) in told { for watch in watches { service?.changed(key, of: watch) } }
    }
}
