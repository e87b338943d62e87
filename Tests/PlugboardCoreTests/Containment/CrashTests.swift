import Foundation
import Plugboard
import PlugboardKit
import PluginLoader
import TestSupport
import Testing

/// Plugins that end their process, and the report of the next start.
struct CrashTests {
    private let folder: TemporaryFolder
    private var data: String { folder.file("data") }
    private var notes: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(data)/kernel")) ?? []
    }

    init() throws { folder = try TemporaryFolder("crashes") }

    /// The log of a start that runs no plugin, but whose configuration names one.
    private func linesOfNextStart(knowing plugins: [PluginEntry] = [PluginEntry("in-house", isEnabled: false)]) throws
        -> [String]
    {
        let lines = Record()
        var configuration = Configuration(plugins: plugins)
        configuration.kernel.dataDirectory = data
        _ = try Kernel(
            configuration: configuration, transport: MockTransport(),
            log: KernelLog(level: .warning) { _, _, text in lines.add(text) })
        return lines.lines
    }

    /// Does with a plugin all that calls a function of it.
    private static func use(_ plugin: PluginEntry, _ data: String) async throws {
        var configuration = Configuration(plugins: [plugin])
        configuration.kernel.dataDirectory = data
        let kernel = try Kernel(
            configuration: configuration, loader: .dynamic, transport: MockTransport(), log: .silent)
        _ = try await kernel.command("com.example.falls", "fall")
        _ = try await kernel.send(Request(.get, anywhere)).body.text()
        await kernel.shutDown()
    }

    @Test(arguments: [
        ("create", "create"), ("start", "start"), ("stop", "stop"), ("destroy", "destroy"), ("command", "command"),
        ("onRequest", "onRequest"), ("onResponse", "onResponse"), ("onClose", "onClose"), ("onEvent", "onEvent"),
        ("pull", "pull"), ("pulled", "pulled"), ("rewind", "rewind"), ("release", "release"), ("bytes", "release"),
        ("state", "release"), ("completed", "completed"), ("fired", "fired"),
    ])
    func `the next start names the plugin, the function that it was in, and what to do`(
        moment: String, name: String
    ) async throws {
        let path = try FixturePlugin.build("falls")

        await #expect(processExitsWith: .signal(SIGABRT)) {
            [path = path as String, moment = moment as String, data = data as String] in
            try await CrashTests.use(PluginEntry(path, settings: ["in": .string(moment)]), data)
        }
        let lines = try linesOfNextStart()

        #expect(lines.count == 1)
        #expect(lines.first?.contains("ended – crashed or was killed – while") == true)
        #expect(lines.first?.contains("the plugin com.example.falls was in \(name)") == true)
        #expect(lines.first?.contains("\"enabled\": false") == true && lines.first?.contains("--safe") == true)
        #expect(notes.isEmpty)
        #expect(try linesOfNextStart().isEmpty)
    }

    @Test func `one that ends the process while it is loaded is named by its path`() async throws {
        let path = try FixturePlugin.build("falls", options: ["-DFALLS_LOADING"])

        await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String, data = data as String] in
            try await CrashTests.use(PluginEntry(path, settings: ["in": "load"]), data)
        }
        let lines = try linesOfNextStart()

        #expect(lines.count == 1)
        #expect(lines.first?.contains("while it loaded the plugin \(path).") == true)
    }

    @Test func `a start without plugins does not report crash notes, and leaves them for the next start`() async throws
    {
        await #expect(processExitsWith: .signal(SIGABRT)) { [data = data as String] in
            let plugin = ScriptedPlugin("in-house")
            plugin.onRequest = { _ in abort() }
            let kernel = try makeKernel([plugin]) { $0.kernel.dataDirectory = data }
            _ = try await kernel.send(Request(.get, anywhere))
        }

        #expect(try linesOfNextStart(knowing: []).isEmpty)
        #expect(try linesOfNextStart().joined().contains("the plugin in-house was in onRequest"))
    }

    @Test(arguments: ["hook", "stop"])
    func `a process that calls exit leaves nothing behind, whatever its plugins do meanwhile`(moment: String) async {
        await #expect(processExitsWith: .exitCode(3)) { [data = data as String, moment = moment as String] in
            let begun = Gate()
            let plugin = ScriptedPlugin("slow")
            plugin.onRequest = { _ in
                if moment == "hook" {
                    begun.admit()
                    try? Gate().wait()
                }
                return .next
            }
            plugin.onStop = {
                begun.admit()
                try? Gate().wait()
            }
            var kernel: Kernel? = try makeKernel([plugin]) { $0.kernel.dataDirectory = data }
            if moment == "hook" { _ = kernel?.begin(Request(.get, anywhere)) } else { kernel = nil }
            try await begun.opened()
            withExtendedLifetime(kernel) { exit(3) }
        }

        #expect(notes.isEmpty)
    }

    @Test func `a child of fork that calls exit leaves its parent's note alone`() async throws {
        let path = try FixturePlugin.build("forks")

        await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String, data = data as String] in
            var configuration = Configuration(plugins: [PluginEntry(path)])
            configuration.kernel.dataDirectory = data
            let kernel = try Kernel(
                configuration: configuration, loader: .dynamic, transport: MockTransport(), log: .silent)
            _ = try await kernel.send(Request(.get, anywhere))
        }
        let lines = try linesOfNextStart()

        #expect(lines.count == 1)
        #expect(lines.first?.contains("the plugin com.example.forks was in onRequest") == true)
    }

    @Test func `of several that ran at once, all are named`() async throws {
        await #expect(processExitsWith: .signal(SIGABRT)) { [data = data as String] in
            let begun = Gate()
            let busy = ScriptedPlugin("busy")
            busy.commands = [CommandDefinition("wait", "Waits.")]
            busy.onCommand = { _, _, _ in
                begun.admit()
                try? Gate().wait()
            }
            let plugin = ScriptedPlugin("in-house")
            plugin.onRequest = { _ in abort() }
            let kernel = try makeKernel([plugin, busy]) { $0.kernel.dataDirectory = data }
            async let reply = kernel.command("busy", "wait")
            try await begun.opened()
            _ = try await kernel.send(Request(.get, anywhere))
            _ = try await reply
        }
        let lines = try linesOfNextStart()

        #expect(lines.count == 1)
        #expect(
            lines.first?.contains("the plugin in-house was in onRequest and the plugin busy was in command") == true)
    }

    @Test func `a process that ends between calls has nothing to tell, and leaves nothing behind`() async throws {
        let path = try FixturePlugin.build("falls")

        await #expect(processExitsWith: .signal(SIGKILL)) { [data = data as String] in
            let kernel = try makeKernel([ScriptedPlugin("idle")]) { $0.kernel.dataDirectory = data }
            kill(getpid(), SIGKILL)
            await kernel.shutDown()
        }
        let left = notes.count
        try await CrashTests.use(PluginEntry(path, settings: ["in": "nothing"]), data)

        #expect(left == 1)
        #expect(notes.isEmpty)
        #expect(try linesOfNextStart().isEmpty)
    }

    @Test func `a program without plugins writes no files`() async throws {
        let kernel = try makeKernel([]) { $0.kernel.dataDirectory = data }

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(!FileManager.default.fileExists(atPath: data))
    }

    @Test(arguments: [true, false])
    func `without a configured data directory, linked plugins get a note if the user has one`(isThere: Bool) async {
        let state = folder.file("state")

        // In a process of its own, for the environment belongs to all threads.
        await #expect(processExitsWith: .success) { [state = state as String, isThere = isThere as Bool] in
            setenv("XDG_STATE_HOME", state, 1)
            if isThere {
                try FileManager.default.createDirectory(
                    atPath: "\(state)/plugboard", withIntermediateDirectories: true)
            }
            let kernel = try makeKernel([ScriptedPlugin("idle")])
            let notes = try? FileManager.default.contentsOfDirectory(atPath: "\(state)/plugboard/kernel")
            #expect(notes?.count == (isThere ? 1 : nil))
            await kernel.shutDown()
        }

        #expect(FileManager.default.fileExists(atPath: state) == isThere)
    }
}
