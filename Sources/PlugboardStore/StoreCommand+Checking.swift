import CPlugboardStore

extension StoreCommand {
    /// Why the command is not valid; nil if it is. No engine is asked for one that is not.
    var mistake: String? {
        switch self {
        case .get(let keys, _), .remove(let keys): StoreCommand.mistake(keys)
        case .put(let entries):
            StoreCommand.mistake(entries.map(\.key)) ?? entries.lazy.compactMap { StoreCommand.mistake($0) }.first
        case .add(let key, _, let time), .takeLock(let key, let time), .renewLock(let key, _, let time):
            StoreCommand.mistake([key]) ?? StoreCommand.mistake(time)
        case .compareAndSet(let entry, _): StoreCommand.mistake([entry.key]) ?? StoreCommand.mistake(entry)
        case .giveBackLock(let key, _): StoreCommand.mistake([key])
        }
    }

    /// What an engine replied, or a failure if that cannot be the reply.
    func checked(_ result: Result<StoreReply, StoreFailure>) -> Result<StoreReply, StoreFailure> {
        guard case .get(let keys, _) = self, case .success(let reply) = result, reply.values.count != keys.count else {
            return result
        }
        return .failure(
            StoreFailure(.down, "The engine replied with \(reply.values.count) values to \(keys.count) keys."))
    }

    private static func mistake(_ keys: [String]) -> String? {
        guard (1...Int(PLUG_STORE_COUNT_LIMIT)).contains(keys.count) else {
            return "A call has 1 to \(PLUG_STORE_COUNT_LIMIT) keys, and not \(keys.count)."
        }
        let isValid = keys.allSatisfy { (1...Int(PLUG_STORE_KEY_LIMIT)).contains($0.utf8.count) }
        return isValid ? nil : "A key has 1 to \(PLUG_STORE_KEY_LIMIT) bytes."
    }

    private static func mistake(_ entry: StoreEntry) -> String? {
        entry.value.count <= Int(PLUG_STORE_VALUE_LIMIT)
            ? mistake(entry.timeToLive) : "A value has up to \(PLUG_STORE_VALUE_LIMIT) bytes."
    }

    private static func mistake(_ timeToLive: Duration) -> String? {
        (.milliseconds(1) ... .seconds(30 * 86_400)).contains(timeToLive) ? nil : "A time to live is 1 ms to 30 days."
    }
}
