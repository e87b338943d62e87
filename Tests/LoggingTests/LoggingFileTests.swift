import Foundation
import Plugboard
import PlugboardJSON
import PlugboardLogging
import TestSupport
import Testing

/// Lines that go to a file, whose texts are made off the loop.
struct LoggingFileTests {
    private let log = Record()

    @Test(arguments: Linkage.allCases, ["full", "json", "curl"])
    func `no format writes a secret to the file`(linkage: Linkage, format: String) async throws {
        let folder = try TemporaryFolder()
        let transport = MockTransport { _, _ in
            .respond(
                200, Fields(["Content-Type": "application/json", "Set-Cookie": "id=hidden"]), [#"{"token": "hidden"}"#])
        }
        let kernel = try linkage.logging(
            to: log, transport,
            settings: ["path": .string(folder.file("log")), "format": .string(format), "bodies": "1KiB"])
        let request = Request(
            .post, "http://u:hidden@a.test/login?key=hidden",
            fields: Fields(["Content-Type": "application/json", "Authorization": "Bearer hidden"]),
            body: .text(#"{"name": "Ada", "password": "hidden"}"#))

        _ = try await kernel.send(request).body.text()
        await kernel.shutDown()

        let text = String(decoding: try folder.read("log"), as: UTF8.self)
        #expect(text.contains("a.test/login?key=…") && !text.contains("hidden"), "\(text)")
        #expect(log.lines == [])
    }

    @Test(arguments: Linkage.allCases)
    func `a head is logged as it was, although an inner plugin edits it later`(linkage: Linkage) async throws {
        let folder = try TemporaryFolder()
        let inner = ScriptedPlugin("inner", priority: 600)
        inner.onRequest = { exchange in
            exchange.request["X-Note"] = "edited"
            exchange.request.url = "http://a.test/edited"
            return .next
        }
        let kernel = try linkage.logging(
            to: log, settings: ["path": .string(folder.file("log")), "format": "full", "statuses": ["200"]],
            beside: [inner])
        let request = Request(.get, "http://a.test/own", fields: Fields(["X-Note": "own"]))

        _ = try await kernel.send(request).body.text()
        await kernel.shutDown()

        let text = String(decoding: try folder.read("log"), as: UTF8.self)
        #expect(text.contains("GET http://a.test/own\n    X-Note: own\n"), "\(text)")
    }

    @Test func `curl has no line for an exchange whose request the filter did not admit`() async throws {
        let inner = ScriptedPlugin("inner", priority: 600)
        inner.onRequest = { exchange in
            exchange.request.method = .post
            return .next
        }
        let transport = MockTransport { _, _ in .silence }
        let kernel = try Linkage.linked.logging(
            to: log, transport, settings: ["format": "curl", "methods": ["POST"]], beside: [inner])
        let handle = kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened()

        handle.cancel()
        await #expect(throws: PlugboardError.self) { try await handle.response }
        await kernel.shutDown()

        #expect(log.lines == [])
    }

    @Test(arguments: Linkage.allCases)
    func `lines go to a private file, which is rotated`(linkage: Linkage) async throws {
        let folder = try TemporaryFolder()
        let kernel = try linkage.logging(
            to: log,
            settings: [
                "path": .string(folder.file("requests.log")), "format": "json", "rotateSize": "1B", "rotateCount": 1,
            ])

        for number in 1...3 {
            _ = try await kernel.send(Request(.get, "http://a.test/\(number)")).body.text()
        }
        await kernel.shutDown()

        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("requests.log"))[.posixPermissions]
        #expect(log.lines == [] && mode as? Int == 0o600)
        let text = String(decoding: try folder.read("requests.log"), as: UTF8.self)
        // Lines of several loops have no order, and lines that wait together are written together.
        #expect(text.contains("http://a.test/") && (1...3).contains(text.split(separator: "\n").count))
        #expect(!FileManager.default.fileExists(atPath: folder.file("requests.log.2")))
    }

    @Test func `a file that cannot be written is said once`() async throws {
        let kernel = try Linkage.linked.logging(to: log, settings: ["path": "/nowhere/requests.log"])

        for _ in 1...3 { _ = try await kernel.send(Request(.get, "http://a.test/")).body.text() }
        await kernel.shutDown()

        #expect(log.lines.count == 1 && log.lines.first?.hasPrefix("warning /nowhere/requests.log cannot be") == true)
    }
}
