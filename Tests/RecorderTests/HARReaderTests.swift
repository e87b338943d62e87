import Foundation
import Plugboard
import TestSupport
import Testing

/// Other programs read what the recorder writes.
struct HARReaderTests {
    @Test(.enabled(if: hasHaralyzer, "skipped: python3 of this machine has no haralyzer (PyPI)"))
    func `haralyzer reads what the recorder writes`() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer.responding { request in
            request.target == "/a"
                ? ServerResponse(status: 302, fields: [("Location", "/b")])
                : ServerResponse(fields: [("Content-Type", "text/plain")], body: "there")
        }
        let recorder = try Recorders(.linked, also: [.redirect])
        _ = try await recorder.kernel.send(Request(.get, server.url("/a"))).body.text()
        _ = try await recorder.kernel.send(Request(.post, server.url("/b"), body: .text("x"))).body.text()
        _ = try? await recorder.kernel.send(Request(.get, try ClosedPort().url()))
        let file = try folder.write("a.har", try await recorder.text("har"))
        await recorder.kernel.shutDown()

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
