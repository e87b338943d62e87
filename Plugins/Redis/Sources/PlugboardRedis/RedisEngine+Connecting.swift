import PlugboardKit
import PlugboardStore

/// How both connections come and go. On the kernel's first loop, one attempt after the other:
///
///     connect ─▶ resolve, off the loop ─▶ open ─▶ HELLO … SCRIPT LOAD ─▶ up ─▶ a look at the silence, again and again
///        ▲                                 │                                    │
///        └── a pause, longer each time ◀───┴───────────── lost ◀────────────────┘
extension RedisEngine {
    /// Where to connect, and as whom.
    struct Target: Sendable {
        let addresses: [RedisAddress]
        let login: [String]
    }

    /// Begins to connect if that has not begun.
    func begin() {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { connect() }
    }

    private func connect() {
        let isStarted = host.runBlocking { [self] in
            let target = Result { () throws(PlugboardError) in
                Target(addresses: try RedisAddress.all(of: server.place), login: try server.login())
            }
            state.withLock { $0.target = target }
        } done: { [weak self] in
            self?.open()
        }
        if !isStarted { lost("the system starts no thread to resolve its name", state.withLock { $0.number }) }
    }

    private func open() {
        let now = host.now
        let (number, problem) = state.withLock { state in
            if case .stopped = state.phase { return (state.number, String?.none) }
            state.number += 1
            let result = Result { () throws(PlugboardError) in try open(at: now, &state) }
            if case .failure(let failure) = result { return (state.number, failure.reason) }
            return (state.number, nil)
        }
        if let problem { return lost(problem, number) }
        host.schedule(after: silence) { [weak self] in
            guard let self, state.withLock({ $0.number == number && !$0.isUp }) else { return }
            lost("it did not complete the connection within \(DurationText(silence))", number)
        }
    }

    private func open(at now: Duration, _ state: inout State) throws(PlugboardError) {
        guard let target = try state.target?.get(), !target.addresses.isEmpty else {
            throw PlugboardError(.transportDNS, "its name has no address")
        }
        let address = target.addresses[state.failures % target.addresses.count]
        guard let main = RedisConnection(try address.connect()), let changes = RedisConnection(try address.connect())
        else { throw PlugboardError(.resources, "there is no memory for a connection") }
        let number = state.number
        state.connections = Connections(main: main, changes: changes)

        let hello = RedisCommand(["HELLO", "2"] + target.login + ["SETNAME", "plugboard"])
        main.send(hello, at: now, greeting(number, target.login.last) { _ in })
        if server.database != 0 {
            main.send(RedisCommand(["SELECT", "\(server.database)"]), at: now, expecting("SELECT", number))
        }
        let greeted = greeting(number, target.login.last) { [weak self] id in
            self?.state.withLock { if $0.number == number { $0.connections?.changesID = id } }
        }
        let subscribed = expecting("SUBSCRIBE", number) { [weak self] _ in self?.prepare(number) }
        changes.send(hello, at: now, greeted)
        changes.send(RedisCommand(["SUBSCRIBE", "__redis__:invalidate"]), at: now, subscribed)
        for connection in [main, changes] {
            let isOpen = connection.open(host) { [weak self, weak connection] ready in
                if let self, let connection { proceed(connection, ready, number) }
            } ended: { [weak self] in
                self?.lost("the kernel has ended its watch", number)
            }
            if !isOpen { throw PlugboardError(.resources, "the kernel does not watch its connection") }
        }
    }

    /// The second connection gets messages: the first one may ask for them.
    private func prepare(_ number: Int) {
        let now = host.now
        state.withLock { state in
            guard state.number == number, let connections = state.connections else { return }
            let tracking = ["CLIENT", "TRACKING", "ON", "REDIRECT", "\(connections.changesID)", "OPTIN"]
            let loaded = expecting("SCRIPT LOAD", number) { [weak self] in self?.loaded($0.text ?? "", number) }
            connections.main.send(RedisCommand(tracking), at: now, expecting("CLIENT TRACKING", number))
            for script in RedisScript.allCases {
                connections.main.send(RedisCommand(["SCRIPT", "LOAD", script.text]), at: now, loaded)
            }
        }
    }

    private func loaded(_ digest: String, _ number: Int) {
        let now = host.now
        let isFirst = state.withLock { state -> Bool? in
            guard state.number == number else { return nil }
            state.connections?.digests.append(digest)
            guard state.connections?.digests.count == RedisScript.allCases.count else { return nil }
            defer { (state.phase, state.failures, state.waiting) = (.up, 0, []) }
            for (command, service, done) in state.waiting { send(command, for: service, at: now, &state, done) }
            if case .starting = state.phase { return true }
            return false
        }
        guard let isFirst else { return }
        host.log(.info, isFirst ? "Connected to \(server.shown)." : "\(server.shown) responds again.")
        watchSilence(number)
    }

    /// Gives the connections up where the server owes a reply for too long, and asks for one where it owes none, so
    /// that a loss is known before the next command.
    private func watchSilence(_ number: Int) {
        host.schedule(after: silence / 2) { [weak self] in
            guard let self else { return }
            guard let connections = state.withLock({ $0.number == number ? $0.connections : nil }) else { return }
            // Replies that wait are no silence, where the loop was busy.
            for connection in [connections.main, connections.changes] { proceed(connection, [], number) }
            let now = host.now
            let isSilent = state.withLock { state in
                guard state.number == number else { return false }
                let ping = RedisCommand(["PING"])
                if connections.main.silentSince == nil {
                    connections.main.send(ping, at: now, expecting("PING", number))
                }
                if connections.changes.silentSince == nil { connections.changes.append(ping, at: now) }
                return [connections.main, connections.changes].contains {
                    $0.silentSince.map { now - $0 >= silence } ?? false
                }
            }
            if isSilent { lost("it did not respond within \(DurationText(silence))", number) }
            watchSilence(number)
        }
    }

    private func proceed(_ connection: RedisConnection, _ ready: PluginHost.Readiness, _ number: Int) {
        let now = host.now
        var arrivals: [RedisConnection.Arrival] = []
        let (problem, isMain) = state.withLock { state in
            guard state.number == number else { return (String?.none, true) }
            return (connection.proceed(ready, &arrivals, at: now), state.connections?.main === connection)
        }
        for arrival in arrivals {
            if let take = arrival.take {
                // After a reply that is wrong, no further one can be trusted.
                take(state.withLock { $0.number == number } ? arrival.reply : nil)
            } else if isMain {
                lost(arrival.reply.errorText ?? "it sent a reply that was not asked for", number)
            } else {
                changed(arrival.reply)
            }
        }
        if let problem { lost(problem, number) }
    }

    /// Gives both connections up, and connects again after a pause.
    func lost(_ reason: String, _ number: Int) {
        let reason = "\(server.shown) is out: \(reason)."
        let end = state.withLock { state -> (Pending, service: StoreService?, pause: Duration, isNew: Bool)? in
            guard state.number == number else { return nil }
            if case .stopped = state.phase { return nil }
            state.failures += 1
            if case .starting = state.phase, let target = try? state.target?.get(),
                state.failures < target.addresses.count
            {
                // The name has another address, which may be the right one.
                return (state.close(endsWaiting: false), nil, .zero, false)
            }
            let service = state.isUp ? state.service : nil
            var isNew = true
            if case .down(let known) = state.phase { isNew = known != reason } else { outages.add() }
            state.phase = .down(reason)
            return (state.close(), service, pause(after: state.failures), isNew)
        }
        guard let (pending, service, pause, isNew) = end else { return }
        pending.fail(reason)
        service?.changedAll()
        host.log(isNew ? .warning : .debug, "\(reason) Calls fail at once until it responds again.")
        host.schedule(after: pause) { [weak self] in self?.connect() }
    }

    /// 50 ms and twice as much each time, up to 5 s; up to half of it is left out at random, so that the processes of a
    /// fleet do not come back at the same moment.
    private func pause(after failures: Int) -> Duration {
        let longest = min(50 << min(failures - 1, 10), 5000)
        return .milliseconds(Int.random(in: longest / 2...longest))
    }

    // MARK: Replies of the handshake

    /// Takes the reply to a command that cannot fail while the server works.
    func expecting(
        _ command: String, _ number: Int, _ then: @escaping @Sendable (RedisReply) -> Void = { _ in }
    ) -> RedisConnection.Take {
        { [weak self] reply in
            guard let reply else { return }
            guard let text = reply.errorText else { return then(reply) }
            let isRight = text.hasPrefix("NOPERM") ? "; give its user the rights that the plugin's README lists" : ""
            self?.lost("it refused \(command) (\(text))\(isRight)", number)
        }
    }

    /// Takes the reply to HELLO, with the number of the connection on the server.
    private func greeting(
        _ number: Int, _ password: String?, _ then: @escaping @Sendable (Int64) -> Void
    ) -> RedisConnection.Take {
        { [weak self] reply in
            guard let self, let reply else { return }
            if let text = reply.errorText {
                // An old server repeats what it does not know, the password too.
                if text.contains("unknown command") { return lost("it is older than Redis 6", number) }
                if text.hasPrefix("WRONGPASS") || text.hasPrefix("NOAUTH") {
                    let places = "the user in url, and the password in url, passwordFile or passwordEnvironment"
                    return lost("it refused HELLO (\(text)); check \(places)", number)
                }
                let isRepeated = password.map { text.contains($0) } ?? false
                return lost("it refused HELLO (\(isRepeated ? "its reason repeats the password" : text))", number)
            }
            var fields: [String: RedisReply] = [:]
            if case .array(let elements) = reply {
                for index in stride(from: 0, to: elements.count - 1, by: 2) {
                    fields[elements[index].text ?? ""] = elements[index + 1]
                }
            }
            guard case .number(let id)? = fields["id"] else { return lost("it does not speak as Redis does", number) }
            if fields["mode"]?.text == "cluster" {
                return lost("it is part of a cluster, which the plugin does not support yet", number)
            }
            then(id)
        }
    }
}
