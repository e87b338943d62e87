import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

/// Who holds the loop is named, and what hooks cost can be counted.
struct WatchdogTests {
    /// Holds the loop until it is freed.
    private func sleeper(until freed: DispatchSemaphore) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("sleeper")
        plugin.onResponse = { _ in
            freed.wait()
            return .next
        }
        return plugin
    }

    @Test func `a plugin that holds the loop is named in the log, with its hook, while it still does`() async throws {
        let freed = DispatchSemaphore(value: 0)
        let lines = Record()
        let plugin = sleeper(until: freed)
        var configuration = Configuration(plugins: ["sleeper"])
        configuration.kernel.hookTimeLimit = .milliseconds(5)
        let log = KernelLog(level: .warning) { _, source, text in
            lines.add("\(source): \(text)")
            freed.signal()
        }
        let kernel = try Kernel(
            configuration: configuration, catalog: Catalog([plugin.descriptor]), transport: MockTransport(), log: log)

        // Without the line, it would never return.
        _ = try await kernel.send(Request(.get, anywhere))

        #expect(lines.lines.first?.contains("sleeper: The plugin sleeper has held the loop in onResponse") == true)
    }

    @Test func `plugins hear of it as soon as the loop is free`() async throws {
        let freed = DispatchSemaphore(value: 0)
        let heard = Record()
        let told = Gate()
        let listener = ScriptedPlugin("listener")
        listener.events = ["pluginStalled"]
        listener.onEvent = { event, _ in
            heard.add("\(event["plugin"] ?? "?") \(event["hook"] ?? "?")")
            told.admit()
        }
        let plugins = [sleeper(until: freed), listener]
        var configuration = Configuration(plugins: ["sleeper", "listener"])
        configuration.kernel.hookTimeLimit = .milliseconds(5)
        let kernel = try Kernel(
            configuration: configuration, catalog: Catalog(plugins.map(\.descriptor)), transport: MockTransport(),
            log: KernelLog(level: .warning) { _, _, _ in freed.signal() })

        _ = try await kernel.send(Request(.get, anywhere))
        try await told.opened()

        #expect(heard.lines == ["sleeper onResponse"])
    }

    @Test func `a timer that holds the loop is named, and the program hears of it`() async throws {
        let freed = DispatchSemaphore(value: 0)
        let heard = Record()
        let told = Gate()
        let plugin = ScriptedPlugin("sleeper")
        plugin.onStart = { [unowned plugin] in plugin.host?.schedule(after: .zero) { freed.wait() } }
        var configuration = Configuration(plugins: ["sleeper"])
        configuration.kernel.hookTimeLimit = .milliseconds(5)
        let kernel = try Kernel(
            configuration: configuration, catalog: Catalog([plugin.descriptor]), transport: MockTransport(),
            log: KernelLog(level: .warning) { _, _, _ in freed.signal() }
        ) { event in
            heard.add("\(event.id) \(event["plugin"] ?? "?") \(event["hook"] ?? "?")")
            told.admit()
        }

        try await told.opened()

        #expect(heard.lines == ["pluginStalled sleeper fired"])
        withExtendedLifetime(kernel) {}
    }

    @Test func `calls and times of hooks are counters where the configuration asks for them`() async throws {
        let kernel = try makeKernel([recorder("a", priority: 1, Record())]) { $0.kernel.measureHooks = true }

        for _ in 0..<3 { _ = try await kernel.send(Request(.get, anywhere)) }

        let counters = kernel.counters
        #expect(counters["kernel.calls.a.onRequest"] == 3)
        #expect(counters["kernel.calls.a.onResponse"] == 3)
        #expect(counters["kernel.calls.a.onClose"] == 3)
        #expect(counters["kernel.calls.a.onFailure"] == 0)
        #expect((counters["kernel.time.a.onRequest"] ?? 0) > 0)
        #expect(counters.keys.filter { $0.hasPrefix("kernel.calls.a.") }.count == 6)
    }

    @Test func `without that nothing is counted`() async throws {
        let kernel = try makeKernel([recorder("a", priority: 1, Record())])

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(!kernel.counters.keys.contains { $0.hasPrefix("kernel.calls") })
    }
}
