import PlugboardJSON
import PlugboardKit
import PlugboardStore

/// The command `check`: carries out each command of the store once, on keys of its own, and reads what the server says
/// about itself.
struct RedisCheck: Sendable {
    let engine: RedisEngine
    let store: Store

    /// The longest time of each step. The first one waits for the connection.
    private static let patience = Duration.seconds(10)

    /// `{"engine": "…", "problems": ["…"], "warnings": ["…"]}`, as `plugboard config check --connect` reads it.
    func run() async -> JSONValue {
        var problems: [String] = []
        let watch = store.watch { _ in }
        defer { if let watch { store.unwatch(watch) } }
        for (name, command) in commands(watch) {
            do throws(StoreFailure) {
                try await store.perform(command, within: RedisCheck.patience)
            } catch  where error.kind != .refused {
                // Without the server, all others fail likewise.
                guard engine.state.withLock({ $0.isUp }) else {
                    return reply("Redis at \(engine.server.shown)", problems: [error.reason], warnings: [])
                }
                problems.append("\(name) failed: \(error.reason)\(RedisCheck.advice(error.reason))")
            } catch {}
        }
        do throws(StoreFailure) {
            let lock = StoreCommand.takeLock(key("lock"), timeToLive: .seconds(10))
            let token = try await store.perform(lock, within: RedisCheck.patience).number
            let renewal = StoreCommand.renewLock(key("lock"), token: token, timeToLive: .seconds(10))
            try await store.perform(renewal, within: RedisCheck.patience)
            try await store.perform(.giveBackLock(key("lock"), token: token), within: RedisCheck.patience)
        } catch {
            problems.append("a lock failed: \(error.reason)\(RedisCheck.advice(error.reason))")
        }
        let information = await engine.information()
        return reply(
            "\(RedisCheck.version(information)) at \(engine.server.shown)", problems: problems,
            warnings: RedisCheck.warnings(information))
    }

    private func commands(_ watch: StoreWatch?) -> [(String, StoreCommand)] {
        let value = StoreEntry(key("value"), Bytes("checked"), timeToLive: .seconds(10))
        return [
            ("get", .get([key("value")])), ("put", .put([value])),
            ("add", .add(key("number"), 1, timeToLive: .seconds(10))),
            ("compare and set", .compareAndSet(value, expected: Bytes("checked"))),
            ("get with a watch", .get([key("value")], watch: watch)),
            ("remove", .remove([key("value"), key("number")])),
        ]
    }

    /// Checks of several machines at the same time must not disturb each other.
    private let name = "redis/1/check-\(UInt64.random(in: .min ... .max))"
    private func key(_ kind: String) -> String { "\(name)/\(kind)" }

    init(_ engine: RedisEngine, _ store: Store) { (self.engine, self.store) = (engine, store) }

    /// Within a script, the server has another sentence.
    private static func advice(_ reason: String) -> String {
        let isRight = reason.contains("NOPERM") || reason.contains("can't run this command")
        return isRight ? "; give its user the rights that the plugin's README lists" : ""
    }

    private func reply(_ engine: String, problems: [String], warnings: [String]) -> JSONValue {
        [
            "engine": .string(engine), "problems": .array(problems.map { .string($0) }),
            "warnings": .array(warnings.map { .string($0) }),
        ]
    }

    // MARK: What the server says about itself

    private static func version(_ information: [String: String]?) -> String {
        if let version = information?["valkey_version"] { return "Valkey \(version)" }
        return information?["redis_version"].map { "Redis \($0)" } ?? "Redis"
    }

    /// - Parameter information: Nil where the user may not read it.
    private static func warnings(_ information: [String: String]?) -> [String] {
        guard let information else {
            return [
                "its user may not use INFO, so that its version and its memory policy are not known; +info allows it"
            ]
        }
        let policy = information["maxmemory_policy"] ?? "noeviction"
        guard information["maxmemory"] != "0", policy != "noeviction" else { return [] }
        return [
            "its maxmemory-policy is \(policy): while its memory is full it removes keys early, so that limits are exceeded "
                + "and locks are held twice; for anything but a cache, use noeviction and enough memory"
        ]
    }
}

extension RedisEngine {
    /// The fields of INFO; nil where the user has no right to it, or the server is out.
    func information() async -> [String: String]? {
        let now = host.now
        let reply = await withCheckedContinuation { (continuation: CheckedContinuation<RedisReply?, Never>) in
            let isSent = state.withLock { state in
                guard state.isUp, let main = state.connections?.main else { return false }
                main.send(RedisCommand(["INFO"]), at: now) { continuation.resume(returning: $0) }
                return true
            }
            if !isSent { continuation.resume(returning: nil) }
        }
        guard let text = reply?.text else { return nil }
        var fields: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { fields["\(parts[0])"] = "\(parts[1])" }
        }
        return fields
    }
}
