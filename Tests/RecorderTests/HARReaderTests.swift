import Foundation
import Plugboard
import PlugboardJSON
import PlugboardJSONSchema
import TestSupport
import Testing

/// Other programs read what the recorder writes.
struct HARReaderTests {
    @Test(.enabled(if: hasHaralyzer, "skipped: python3 of this machine has no haralyzer (PyPI)"))
    func `haralyzer reads what the recorder writes`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a.har", try await archive())

        let outcome = try await ProcessRunner.running(["python3", "-c", HARReaderTests.program, file])

        #expect(outcome.stderr == "")
        #expect(
            outcome.stdout == """
                GET 302 x-unknown
                GET 200 text/plain
                POST 200 text/plain
                GET 0 x-unknown

                """)
    }

    @Test func `what the recorder writes has the members of HAR with their types, and no others`() async throws {
        let fixtures = URL(fileURLWithPath: #filePath).appending(path: "../../Fixtures").standardizedFileURL
        let file = fixtures.appending(path: "HAR/har-1.2.json")
        var options = JSONSchema.Options()
        options.formats = true
        let schema = try JSONSchema(try JSONParser.parse(String(contentsOf: file, encoding: .utf8)), options: options)

        let result = schema.validate(try JSONDocument(try await archive()))

        #expect(result.leaves.map { "\($0)" } == [])
    }

    /// The exchanges of a redirect with a query and a cookie, of a body that is sent, and of a refused connection.
    private func archive() async throws -> String {
        let server = try LoopbackServer.responding { request in
            request.target.hasPrefix("/a")
                ? ServerResponse(status: 302, fields: [("Location", "/b"), ("Set-Cookie", "s=1; Path=/; HttpOnly")])
                : ServerResponse(fields: [("Content-Type", "text/plain")], body: "there")
        }
        let recorder = try Recorders(.linked, also: [.redirect])
        _ = try await recorder.kernel.send(Request(.get, server.url("/a?x=1"))).body.text()
        _ = try await recorder.kernel.send(Request(.post, server.url("/b"), body: .text("x"))).body.text()
        _ = try? await recorder.kernel.send(Request(.get, try ClosedPort().url()))
        let archive = try await recorder.text("har")
        await recorder.kernel.shutDown()
        return archive
    }

    private static let program = """
        import json, sys
        from haralyzer import HarParser
        with open(sys.argv[1]) as file: parser = HarParser(json.load(file))
        for page in parser.pages:
            for entry in page.entries:
                print(entry.request.method, entry.status, entry.response.mimeType)
        """

    private static let hasHaralyzer: Bool = {
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", "-c", "import haralyzer"]
        python.standardError = FileHandle.nullDevice
        guard (try? python.run()) != nil else { return false }
        python.waitUntilExit()
        return python.terminationStatus == 0
    }()
}
