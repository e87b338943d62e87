import Plugboard
import PlugboardRedis
import PlugboardStore
import PlugboardTesting
import TestSupport

/// The plugin in a kernel with the system's clock.
struct RedisScene: Sendable {
    let kernel: Kernel
    let store: Store
    let log = Record()

    init(_ url: String, _ linkage: Linkage = .linked, settings: JSONObject = [:]) throws {
        var settings = settings
        settings["url"] = .string(url)
        // Tests beside this one may hold the machine for more than a second.
        settings["silence"] = settings["silence"] ?? "20s"
        kernel = try linkage.kernel(
            redisPlugin(), MockTransport(), settings: settings,
            log: KernelLog(level: .debug) { [log] _, _, text in log.add(text) })
        guard let table = kernel.service(Store.id) else { throw ProductError.missing(Store.id) }
        store = Store(table.assumingMemoryBound(to: plug_store_v1.self))
    }

    var contract: StoreContract { StoreContract(store) { try await Task.sleep(for: $0) } }

    @discardableResult
    func perform(_ command: StoreCommand, within: Duration = .seconds(20)) async throws(StoreFailure) -> StoreReply {
        try await store.perform(command, within: within)
    }

    func failure(of command: StoreCommand, within: Duration = .seconds(20)) async -> StoreFailure? {
        do throws(StoreFailure) { try await perform(command, within: within) } catch { return error }
        return nil
    }

    func put(_ texts: [String: String]) async throws(StoreFailure) {
        try await perform(.put(texts.map { StoreEntry($0, $1) }))
    }

    func texts(_ keys: String...) async throws(StoreFailure) -> [String?] {
        try await perform(.get(keys)).values.map { $0?.text }
    }

    /// Waits until the store works.
    func works() async throws {
        let deadline = ContinuousClock.now + Gate.patience
        while await failure(of: .get(["works"])) != nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        try await perform(.get(["works"]))
    }
}

extension StoreEntry {
    init(_ key: String, _ text: String) { self.init(key, Bytes(Array(text.utf8)), timeToLive: .seconds(600)) }
}
