import PlugboardKit
import PlugboardStore

/// What commands of the store are in Redis, and what Redis's replies to them mean.
struct RedisWire: Sendable {
    let names: RedisNames
    /// The digests of the scripts, by their raw values.
    let digests: [String]

    /// - Parameter byText: Sends the text of a script, which the server has not got.
    func command(_ command: StoreCommand, byText: Bool = false) -> RedisCommand {
        func script(_ script: RedisScript, _ keys: [String], _ arguments: [String] = []) -> RedisCommand {
            let name = byText ? ["EVAL", script.text] : ["EVALSHA", digests[script.rawValue]]
            return RedisCommand(name + ["\(keys.count)"] + keys + arguments)
        }
        switch command {
        case .get(let keys, _):
            let limit = 65_536 + keys.count * 1_048_640
            return RedisCommand(["MGET"] + keys.map(names.value), replyLimit: limit)
        case .put(let entries):
            if entries.count == 1 {
                var command = RedisCommand(["SET", names.value(entries[0].key)])
                command.append(RedisNames.stored(entries[0].value))
                command.append("PX".utf8)
                command.append(entries[0].timeToLive.wholeMilliseconds)
                return command
            }
            var command = script(.put, entries.map { names.value($0.key) })
            for entry in entries {
                command.append(RedisNames.stored(entry.value))
                command.append(entry.timeToLive.wholeMilliseconds)
            }
            return command
        case .remove(let keys): return RedisCommand(["UNLINK"] + keys.map(names.value))
        case .add(let key, let delta, let time):
            return script(.add, [names.value(key)], ["\(delta)", "\(time.wholeMilliseconds)"])
        case .compareAndSet(let entry, let expected):
            var command = script(.compareAndSet, [names.value(entry.key)])
            command.append(RedisNames.stored(entry.value))
            command.append(entry.timeToLive.wholeMilliseconds)
            if let expected { command.append(RedisNames.stored(expected)) }
            return command
        case .takeLock(let key, let time):
            return script(.takeLock, [names.lock(key), names.token(key)], ["\(time.wholeMilliseconds)"])
        case .renewLock(let key, let token, let time):
            return script(.renewLock, [names.lock(key)], ["\(token)", "\(time.wholeMilliseconds)"])
        case .giveBackLock(let key, let token): return script(.giveBackLock, [names.lock(key)], ["\(token)"])
        }
    }

    /// The result of a command; nil if this cannot be the reply to it.
    static func result(of command: StoreCommand, _ reply: RedisReply) -> Result<StoreReply, StoreFailure>? {
        switch (command, reply) {
        case (.add, .error(let text)) where text.contains("not an integer") || text.contains("would overflow"):
            .failure(StoreFailure(.invalid, "The key has no number, or the sum is too large."))
        case (_, .error(let text)): .failure(StoreFailure(.down, "Redis replied with an error: \(text)"))
        case (.get(let keys, _), .array(let elements)) where elements.count == keys.count:
            .success(
                StoreReply(
                    values: elements.map { if case .bytes(let bytes) = $0 { RedisNames.value(bytes) } else { nil } }))
        case (.put, .bytes), (.put, .number), (.remove, .number): .success(StoreReply())
        case (.add, .bytes), (.takeLock, .bytes):
            reply.text.flatMap { Int64($0) }.map { .success(StoreReply(number: $0)) }
        case (.compareAndSet, .number(1)), (.renewLock, .number(1)), (.giveBackLock, .number(1)):
            .success(StoreReply())
        case (.compareAndSet, .number(0)): .failure(StoreFailure(.refused, "The key has another value."))
        case (.takeLock, .number(0)): .failure(StoreFailure(.refused, "The lock is taken."))
        case (.renewLock, .number(0)), (.giveBackLock, .number(0)):
            .failure(StoreFailure(.refused, "The lock has another holder, or none."))
        default: nil
        }
    }
}

extension Duration {
    /// The time in milliseconds, rounded up, as Redis takes it.
    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
