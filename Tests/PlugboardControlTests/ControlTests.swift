import Foundation
import Plugboard
import PlugboardControl
import PlugboardJSON
import PlugboardKit
import TestSupport
import Testing

/// A running program, as a peer at its socket sees and steers it.
struct ControlTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("control") }

    init() throws { folder = try TemporaryFolder() }

    private func kernel(
        _ transport: any Transport = MockTransport(), plugins: [PluginEntry] = [], loops: Int = 1
    ) throws -> Kernel {
        var configuration = Configuration()
        configuration.kernel.control = path
        configuration.kernel.loops = LoopCount(loops)
        return try Kernel(configuration: configuration, plugins: plugins, transport: transport, log: .silent)
    }

    private func ask(_ members: JSONObject) async throws -> JSONValue {
        let path = path
        return try await offTasks { try ControlClient(path).ask(members) }
    }

    @Test(arguments: [1, 4])
    func `a peer sees what is under way, and the metrics`(loops: Int) async throws {
        let transport = MockTransport { _, number in number == 1 ? .respond(200, Fields(), ["ok"]) : .silence }
        let kernel = try kernel(transport, plugins: [.retry], loops: loops)
        _ = try await kernel.send(Request(.get, "http://a.test/first")).body.text()
        var request = Request(.get, "http://u:secret@a.test/?key=secret")
        request.tag = "sync"
        let handle = kernel.begin(request)
        try await transport.began.opened(for: 2)

        let exchanges = try await ask(["do": "exchanges"])
        let status = try await ask(["do": "status"])
        let metrics = try await ask(["do": "metrics"])
        let text = try await ask(["do": "metrics", "format": "prometheus"])
        handle.cancel()
        await kernel.shutDown()

        let exchange = try #require(exchanges.arrayValue?.first)
        #expect(exchanges.arrayValue?.count == 1 && exchange["url"] == "http://a.test/?key=…")
        #expect(exchange["tag"] == "sync" && exchange["method"] == "GET" && exchange["attempts"] == 1)
        #expect(
            status["exchanges"] == 1 && status["plugins"] == ["retry"] && status["loops"] == .number(JSONNumber(loops)))
        #expect(metrics.arrayValue?.contains { $0["name"]?.stringValue?.hasPrefix("retry.") == true } == true)
        #expect(text.stringValue?.contains("# TYPE retry_") == true)
    }

    @Test func `requests are cancelled, suspended and resumed by their tag`() async throws {
        let transport = MockTransport { _, _ in .silence }
        let kernel = try kernel(transport)
        let handles = ["a", "a", "b"].map { tag in
            var request = Request(.get, "http://a.test/")
            request.tag = tag
            return kernel.begin(request)
        }
        try await transport.began.opened(for: 3)

        #expect(try await ask(["do": "suspend", "tag": "b"]) == ["exchanges": 1])
        #expect(try await ask(["do": "exchanges"]).arrayValue?.filter { $0["suspended"] == true }.count == 1)
        #expect(try await ask(["do": "resume", "tag": "b"]) == ["exchanges": 1])
        #expect(try await ask(["do": "cancel", "tag": "a"]) == ["exchanges": 2])
        for handle in handles.prefix(2) {
            let error = await #expect(throws: PlugboardError.self) { try await handle.response }
            #expect(error?.code == .cancelled)
        }
        #expect(try await ask(["do": "exchanges"]).arrayValue?.count == 1)
        handles[2].cancel()
        await kernel.shutDown()
    }

    @Test func `a plugin that is switched off sees no new request, and later ones again`() async throws {
        let plugin = ScriptedPlugin("mark", priority: 300)
        plugin.onRequest = {
            $0.request["X-Mark"] = "yes"
            return .next
        }
        let transport = MockTransport()
        var configuration = Configuration(plugins: [PluginEntry("mark")])
        configuration.kernel.control = path
        let kernel = try Kernel(
            configuration: configuration, catalog: Catalog([plugin.descriptor]), control: .socket, transport: transport,
            log: .silent)

        _ = try await ask(["do": "disable", "plugin": "mark"])
        _ = try await kernel.send(Request(.get, "http://a.test/")).body.text()
        #expect(try await ask(["do": "plugins"]).arrayValue?.first?["enabled"] == false)
        _ = try await ask(["do": "enable", "plugin": "mark"])
        _ = try await kernel.send(Request(.get, "http://a.test/")).body.text()
        let error = await #expect(throws: PlugboardError.self) { try await ask(["do": "disable", "plugin": "other"]) }
        await kernel.shutDown()

        #expect(transport.requests.map { $0.fields["X-Mark"] } == [nil, "yes"])
        #expect(error?.code == .commandUnknown)
    }

    @Test func `a plugin's command is given, with its body in pieces`() async throws {
        let kernel = try kernel(plugins: [.recorder])
        _ = try await kernel.send(Request(.get, "http://a.test/seen")).body.text()
        let path = path

        let har = try await offTasks {
            var bytes: [UInt8] = []
            _ = try ControlClient(path).ask(["do": "command", "plugin": "recorder", "name": "har"]) { bytes += $0 }
            return String(decoding: bytes, as: UTF8.self)
        }
        let list = try await ask(
            ["do": "command", "plugin": "recorder", "name": "list", "arguments": ["json": true]])
        let error = await #expect(throws: PlugboardError.self) {
            try await ask(["do": "command", "plugin": "recorder", "name": "other"])
        }
        await kernel.shutDown()

        #expect(har.contains("\"http://a.test/seen\"") && list.arrayValue?.first?["url"] == "http://a.test/seen")
        #expect(error?.code == .commandUnknown)
    }

    @Test func `a watcher hears of each exchange and its end, without secrets`() async throws {
        let kernel = try kernel()
        let path = path
        let client = try await offTasks {
            let client = try ControlClient(path)
            try client.send(["do": "watch", "events": ["created", "completed", "closing"]])
            guard case .line(let reply) = try client.next(within: 60_000), reply["result"] == .null, reply["id"] == 1
            else { throw CancellationError() }
            return Sent(client)
        }

        _ = try await kernel.send(Request(.get, "http://u:secret@a.test/?key=secret")).body.text()
        await kernel.shutDown()

        let lines = try await offTasks {
            var lines: [JSONObject] = []
            while case .line(let line) = try client.value.next(within: 60_000) { lines.append(line) }
            return lines
        }
        #expect(lines.compactMap { $0["event"]?.stringValue } == ["created", "completed", "closing"])
        #expect(lines.first?["exchange"]?["url"] == "http://a.test/?key=…")
        #expect(lines.dropFirst().first?["exchange"]?["status"] == 200)
    }

    @Test func `a shutdown lets the program's kernel end, and removes the socket`() async throws {
        let kernel = try kernel()

        #expect(try await ask(["do": "shutdown", "within": "1s"]) == .null)
        await kernel.shutDown()

        let error = await #expect(throws: PlugboardError.self) {
            try await kernel.send(Request(.get, "http://a.test/"))
        }
        #expect(error?.code == .shutDown && !FileManager.default.fileExists(atPath: path))
    }

    @Test func `a kernel that is released removes its socket`() async throws {
        var kernel: Kernel? = try kernel()
        #expect(FileManager.default.fileExists(atPath: path))

        withExtendedLifetime(kernel) {}
        kernel = nil

        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

/// Hands a client over to another thread: the sender no longer uses it.
struct Sent<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
