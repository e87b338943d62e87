import Foundation
import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardKit
import Synchronization
import TestSupport
import Testing

/// The services that need no exchange, as a plugin in C uses them: `Fixtures/Plugins/services.c`.
struct ServicesTests {
    private let id = "com.example.services"

    private func ask(_ kernel: Kernel, _ command: String) async throws -> JSONValue {
        guard case .json(let text) = try await kernel.command(id, command) else {
            throw PlugboardError("test", "\(command) replied with no JSON")
        }
        return try JSONParser.parse(text)
    }

    @Test func `lines of the log stand under the plugin's id, from create on, those of no level nowhere`() async throws
    {
        let record = Record()
        let log = KernelLog(level: .info) { level, source, text in record.add("\(level) \(source) \(text)") }
        let kernel = try FixturePlugin.kernel("services", log: log)

        let level = try await ask(kernel, "log")

        #expect(level == .number(JSONNumber(1)))
        #expect(
            record.lines.filter { $0.contains(id) } == [
                "info \(id) created", "warning \(id) a warning", "error \(id) an error",
            ])
    }

    @Test func `both clocks are the kernel's, from create on`() async throws {
        let clock = ManualClock(wallClock: .seconds(500))
        let kernel = try FixturePlugin.kernel("services", clock: clock)

        clock.advance(by: .seconds(3))
        let times = try await ask(kernel, "clocks")

        let created = try #require(times["created"]?.intValue)
        #expect(times["now"]?.intValue == created + 3_000_000_000)
        #expect(times["wall"]?.intValue == 503_000_000_000)
    }

    @Test func `random bytes are others each time`() async throws {
        let kernel = try FixturePlugin.kernel("services")

        let first = try await ask(kernel, "random").stringValue
        let second = try await ask(kernel, "random").stringValue

        #expect(first?.count == 32 && second?.count == 32)
        #expect(first != second)
    }

    @Test func `the data directory is there, private, and the same text as long as the host lives`() async throws {
        let folder = try TemporaryFolder("services")
        defer { folder.remove() }
        let kernel = try FixturePlugin.kernel("services") { $0.kernel.dataDirectory = folder.path }

        let reply = try await ask(kernel, "directory")

        let path = folder.path + "/" + id
        #expect(reply == ["path": .string(path), "same": true])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }

    @Test func `the configuration's folder ends with a slash`() async throws {
        let kernel = try FixturePlugin.kernel("services")

        #expect(try await ask(kernel, "configuration") == .string(FileManager.default.currentDirectoryPath + "/"))
    }

    @Test func `a plugin runs without a data directory if none can be made`() async throws {
        let kernel = try FixturePlugin.kernel("services") { $0.kernel.dataDirectory = "/proc/nowhere" }

        let reply = try await ask(kernel, "directory")

        #expect(reply["path"] == "")
    }

    @Test(arguments: ["", "/ID"])
    func `a data directory that others may write is an error at the start, and so is another user's`(
        part: String
    ) async throws {
        let folder = try TemporaryFolder("services")
        defer { folder.remove() }
        let path = folder.path + part.replacing("ID", with: id)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        func refusal() async throws -> PlugboardError? {
            let plugin = ScriptedPlugin(id)
            plugin.onCreate = { _ = $0.dataDirectory }
            return #expect(throws: PlugboardError.self) {
                try makeKernel([plugin]) { $0.kernel.dataDirectory = folder.path }
            }
        }

        chmod(path, 0o777)
        let writable = try await refusal()
        chmod(path, 0o755)
        var foreign: PlugboardError?
        if geteuid() == 0 {
            chown(path, 4321, 4321)
            foreign = try await refusal()
        }

        #expect(writable?.reason.contains("chmod go-w \(path)") == true)
        #expect(writable?.reason.contains("kernel.dataDirectory") == true)
        if geteuid() == 0 { #expect(foreign?.reason.contains("\(path) belongs to user 4321") == true) }
    }

    @Test func `a link in place of a plugin's data directory is an error at the start`() throws {
        let folder = try TemporaryFolder("services")
        defer { folder.remove() }
        try FileManager.default.createDirectory(atPath: folder.file("other"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: folder.file(id), withDestinationPath: folder.file("other"))
        let plugin = ScriptedPlugin(id)
        plugin.onCreate = { _ = $0.dataDirectory }

        let error = #expect(throws: PlugboardError.self) {
            try makeKernel([plugin]) { $0.kernel.dataDirectory = folder.path }
        }

        #expect(error?.reason.contains("\(folder.file(id)) is not a folder") == true)
    }

    @Test func `a timer replies to a command later, once, and a second reply is stale`() async throws {
        let clock = ManualClock()
        let waiting = Gate()
        let listener = ScriptedPlugin("listener")
        listener.events = ["\(id).waiting"]
        listener.onEvent = { _, _ in waiting.admit() }
        let kernel = try FixturePlugin.kernel("services", clock: clock, beside: [listener])

        async let reply = ask(kernel, "later")
        try await waiting.opened()
        clock.advance(by: .seconds(3))
        let text = try await reply
        await kernel.shutDown()

        #expect(text == "later")
        #expect(kernel.counters["\(id).fired"] == 1)
        #expect(kernel.counters["\(id).twice"] == 1)
    }

    @Test func `a timer that is cancelled does not fire, and cannot be cancelled twice`() async throws {
        let clock = ManualClock()
        let kernel = try FixturePlugin.kernel("services", clock: clock)

        let codes = try await ask(kernel, "cancel")
        clock.advance(by: .seconds(10))
        _ = try await kernel.send(Request(.get, anywhere))

        #expect(codes == [0, 1])
        #expect(kernel.counters["\(id).fired"] == 0)
    }

    @Test func `events are published under the plugin's own id, and under no other`() async throws {
        let record = Record()
        let told = Gate()
        let listener = ScriptedPlugin("listener")
        listener.events = ["\(id).told", "cache.hit", "completed", id]
        listener.onEvent = { event, exchange in
            switch exchange {
            case .none: record.add("\(event.id) \(event["word"] ?? "-") \(event.integer("number") ?? 0)")
            case .some: record.add("\(event.id) of an exchange")
            }
            told.admit()
        }
        let kernel = try FixturePlugin.kernel("services", beside: [listener])

        let codes = try await ask(kernel, "publish")
        try await told.opened()
        await kernel.shutDown()

        #expect(codes == [0, 3, 3, 3])
        #expect(record.lines == ["\(id).told hello 42"])
    }

    @Test func `a plugin that lists events of the kernel only gets none of plugins`() async throws {
        let record = Record()
        let listener = ScriptedPlugin("listener")
        listener.events = ["completed"]
        listener.onEvent = { event, _ in record.add(event.id) }
        let kernel = try FixturePlugin.kernel("services", beside: [listener])

        let codes = try await ask(kernel, "publish")
        _ = try await kernel.send(Request(.get, anywhere))
        await kernel.shutDown()

        #expect(codes == [0, 3, 3, 3])
        #expect(record.lines == ["completed"])
    }

    @Test func `the same name is the same counter, and one that there is not counts nothing`() async throws {
        let kernel = try FixturePlugin.kernel("services")

        let isSame = try await ask(kernel, "count")

        #expect(isSame == true)
        #expect(kernel.counters["\(id).things"] == 3)
        #expect(kernel.counters.values.reduce(0, +) == 3)
    }

    @Test func `a command replies with a body, whose memory is released once`() async throws {
        let kernel = try FixturePlugin.kernel("services")

        let text = try await text(of: kernel.command(id, "body"))
        let releases = try await ask(kernel, "released")
        await kernel.shutDown()

        #expect(text == "a body")
        #expect(releases == 1)
    }

    private func text(of reply: CommandReply) async throws -> String? {
        guard case .body(let body) = reply else { return nil }
        return try await body.text()
    }

    @Test func `a command fails with the plugin's code, and the plugin is named`() async throws {
        let kernel = try FixturePlugin.kernel("services")

        let error = await #expect(throws: PlugboardError.self) { try await kernel.command(id, "refuse") }

        #expect(error?.code == "com.example.services.refused")
        #expect(error?.reason == "Not today.")
        #expect(error?.plugin == id)
    }

    @Test func `a plugin learns the version of the kernel`() async throws {
        #expect(try await ask(FixturePlugin.kernel("services"), "version").stringValue == Kernel.version)
    }
}
