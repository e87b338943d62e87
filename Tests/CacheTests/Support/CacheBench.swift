import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import PlugboardEventLoop
import PlugboardJSON
import PlugboardTransport
import TestSupport

/// A kernel with the cache in front of a transport or a server, with a manual clock.
///
/// Linked, the cache uses memory only; loaded, a file too.
final class CacheBench: Sendable {
    let kernel: Kernel
    private let manual: ManualClock?
    let folder: TemporaryFolder
    private let arrived = Gate()
    /// The events `cache.…` of all requests sent with `get` and `send`, in order.
    let events = Record()

    init(
        _ linkage: Linkage, _ transport: (any Transport)? = nil, settings: JSONObject = [:],
        beside scripted: [ScriptedPlugin] = [], also entries: [PluginEntry] = [],
        clock: ManualClock? = ManualClock(),
        folder: TemporaryFolder? = nil, log: KernelLog = .silent,
        kernel change: (inout KernelSettings) -> Void = { _ in }
    ) throws {
        manual = clock
        self.folder = try folder ?? TemporaryFolder("cache")
        var settings = settings
        if linkage == .loaded || folder != nil {
            settings["path"] = .string(self.folder.file("cache.sqlite"))
        } else {
            settings["persistence"] = settings["persistence"] ?? "memory"
        }
        let door = ScriptedPlugin("door", priority: 599)
        door.onRequest = { [arrived] _ in
            arrived.admit()
            return .next
        }
        kernel = try linkage.kernel(
            cachePlugin(), transport, clock: clock, settings: settings, beside: scripted + [door], also: entries,
            log: log
        ) { change(&$0.kernel) }
    }

    /// The manual clock.
    var clock: ManualClock {
        guard let manual else { preconditionFailure("This bench goes by the real clock.") }
        return manual
    }

    /// Waits until so many requests have come to the cache, and wait there.
    func settled(_ count: Int) async throws {
        try await arrived.opened(for: count)
        await turnOfLoop()
        // After the earlier work of the store.
        _ = try await kernel.cache.stats()
        await turnOfLoop()
    }

    private func turnOfLoop() async {
        for executor in kernel.executors { await withTaskExecutorPreference(executor) { await Task.yield() } }
    }

    /// Sends a request and records its events.
    func begin(_ request: Request) -> ExchangeHandle {
        kernel.begin(request) { [events] event in
            if event.id.hasPrefix("cache.") { events.add(String(event.id.dropFirst(6))) }
        }
    }

    /// The head and the whole body.
    func send(_ request: Request) async throws -> (head: ResponseHead, body: String) {
        let response = try await begin(request).response
        return (response.head, try await response.body.text())
    }

    @discardableResult
    func get(
        _ url: String = "http://a.test/", _ fields: KeyValuePairs<String, String> = [:]
    ) async throws -> (head: ResponseHead, body: String) {
        try await send(Request(.get, url, fields: Fields(fields)))
    }

    /// The wall time of the clock plus some seconds, in the format of HTTP.
    func date(_ seconds: Int = 0) -> String {
        HTTPDate(seconds: clock.wallClock / 1_000_000_000 + Int64(seconds)).description
    }
}
