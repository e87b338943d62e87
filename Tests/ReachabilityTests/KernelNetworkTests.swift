import PlugboardCore
import PlugboardReachability
import TestSupport
import Testing

/// The event `networkChanged`, for plugins and programs.
@Suite(
    .enabled(if: NetworkNamespace.isPossible, "This system makes no network namespaces, or has no program `ip`."),
    .timeLimit(.minutes(2)))
struct KernelNetworkTests {
    private let namespace: NetworkNamespace
    private let heard = Record()
    private let told = Gate()

    init() throws { namespace = try NetworkNamespace() }

    /// A plugin that records the events of these ids.
    private func listener(_ id: String, _ events: [String]) -> ScriptedPlugin {
        let plugin = ScriptedPlugin(id)
        plugin.events = events
        plugin.onEvent = { event, exchange in
            guard event.id == "networkChanged" else { return }
            let isOfKernel = exchange == nil
            heard.add(
                "\(id) \(isOfKernel) \(event["reachable"] ?? "?") \(event.integer("ipv4") ?? -1) "
                    + "\(event.integer("ipv6") ?? -1) \(event["kind"] ?? "?") \(event["interface"] ?? "-")")
            told.admit()
        }
        return plugin
    }

    private func kernel(
        _ plugins: [ScriptedPlugin], watch: (@Sendable (ObservedEvent) -> Void)? = nil
    ) throws -> Kernel {
        try namespace.run { try makeKernel(plugins, network: .system, watch: watch) }
    }

    private func addNetwork() throws {
        try namespace.ip("link add eth0 type veth peer name peer0")
        try namespace.ip("link set peer0 up")
        try namespace.ip("link set eth0 up")
        try namespace.ip("route add default dev eth0")
    }

    private func socketCount() throws -> Int { try namespace.run { try NetlinkSocketLine.all().count } }

    @Test func `a plugin that lists networkChanged gets the state after the start, and each that differs`() async throws
    {
        let kernel = try kernel([listener("queue", ["networkChanged"])])
        try await told.opened(for: 1)
        let sockets = try socketCount()

        try addNetwork()
        while heard.lines.last?.hasPrefix("queue true 1") != true { await Task.yield() }
        await kernel.shutDown()

        #expect(heard.lines.first == "queue true 0 0 0 none -")
        #expect(heard.lines.last == "queue true 1 1 0 ethernet eth0")
        #expect(sockets == 1)
        #expect(try socketCount() == 0)
    }

    @Test func `without a plugin that lists it, and without a call, no socket is opened`() async throws {
        let kernel = try kernel([listener("all", []), listener("other", ["completed"])]) { event in
            heard.add("watch \(event.id)")
        }

        _ = try await kernel.send(Request(.get, "http://a.test/"))

        #expect(try socketCount() == 0)
        #expect(heard.lines == [])
        await kernel.shutDown()
    }

    @Test func `a program that asks for reachability gets the state, and its watch gets the event`() async throws {
        let kernel = try kernel([listener("all", [])]) { event in
            heard.add("watch \(event.kernelEvent == .networkChanged) \(event.integer("reachable") ?? -1)")
            told.admit()
        }

        let reachability = try namespace.run { try kernel.reachability() }
        let again = try kernel.reachability()
        try await told.opened(for: 2)

        #expect(reachability === again)
        #expect(try socketCount() == 1)
        #expect(heard.lines == ["all true 0 0 0 none -", "watch true 0"])
        var changes = reachability.changes().makeAsyncIterator()
        #expect(await changes.next()?.isReachable == false)
        try addNetwork()
        while let state = await changes.next(), !state.isReachable {}
        #expect(reachability.current.interface == "eth0")

        await kernel.shutDown()
        #expect(await changes.next() == nil)
        #expect(throws: PlugboardError.self) { try kernel.reachability() }
        #expect(try socketCount() == 0)
    }
}

/// A program that is built without PlugboardReachability.
struct KernelWithoutNetworkTests {
    @Test func `a plugin that lists networkChanged gets none, which a warning says once`() async throws {
        let plugin = ScriptedPlugin("queue")
        plugin.events = ["networkChanged"]
        plugin.onEvent = { _, _ in }
        let warnings = Record()

        let kernel = try Kernel(
            configuration: Configuration(plugins: [PluginEntry("queue")]), catalog: Catalog([plugin.descriptor]),
            transport: MockTransport(),
            log: KernelLog(level: .warning) { _, source, text in warnings.add("\(source) \(text)") })

        #expect(
            warnings.lines == [
                "kernel Plugins do not get the event networkChanged: this program is built without "
                    + "PlugboardReachability; import it and pass `network: .system`"
            ])
        await kernel.shutDown()
    }
}
