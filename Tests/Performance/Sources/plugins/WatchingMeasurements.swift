import Plugboard
import measuring

/// Plugins that watch, over a transport that responds at once: nothing of them is exported meanwhile.
private func watchers(_ folder: String) -> [(name: String, title: String, plugins: [PluginEntry])] {
    [
        ("nothing", "an exchange without plugins and without a network", []),
        (
            "telemetry", "the same with telemetry, no export due",
            [
                PluginEntry(
                    "telemetry",
                    settings: ["interval": "1h", "metricsInterval": "1h", "path": .string("\(folder)/telemetry.jsonl")])
            ]
        ),
        (
            "recorder", "the same with recorder in memory, without bodies",
            [PluginEntry("recorder", settings: ["persistence": "memory", "bodies": "heads"])]
        ),
        (
            "recorder-file", "the same with recorder and a file",
            [PluginEntry("recorder", settings: ["persistence": "file", "path": .string("\(folder)/recorder.sqlite")])]
        ),
        (
            "logging", "the same with logging, a line to a file",
            [PluginEntry("logging", settings: ["path": .string("\(folder)/lines.log")])]
        ),
        (
            "logging-json", "the same with logging, JSON to a file",
            [PluginEntry("logging", settings: ["path": .string("\(folder)/lines.json"), "format": "json"])]
        ),
    ]
}

/// What each adds to an exchange, in µs of CPU: on the loop, and on all other threads.
func measureWatchers(folder: String, _ count: Int) async throws {
    print("\n| | CPU µs | added on the loop | added elsewhere |\n|---|---:|---:|---:|")
    var plain: Measurement?
    for (_, title, plugins) in watchers(folder) {
        let own = try await measure(plugins, folder, of: 5, count)
        let base = plain ?? own
        plain = base
        let onLoop = own.thread - base.thread
        print("| \(title) | \(rounded(own.cpu)) | \(rounded(onLoop)) | \(rounded(own.cpu - base.cpu - onLoop)) |")
    }
}

/// Exchanges with one of the plugins, for callgrind.
func profileWatcher(_ name: String, folder: String, _ count: Int) async throws {
    guard let watcher = watchers(folder).first(where: { $0.name == name }) else {
        fatalError("No plugin is named \(name).")
    }
    _ = try await measure(watcher.plugins, folder, of: 1, count)
}

private func measure(
    _ plugins: [PluginEntry], _ folder: String, of rounds: Int, _ count: Int
) async throws -> Measurement {
    let transport = InstantTransport(["Content-Type": "text/plain", "Server": "nginx"], body: .empty)
    let kernel = try makeKernel(plugins, transport, folder: folder)
    let measured = try await withTaskExecutorPreference(kernel.executor) {
        try await Measurement.best(of: rounds, count) { _ in try await fetch(kernel, "http://host0.test/path?key=1") }
    }
    await kernel.shutDown()
    return measured
}
