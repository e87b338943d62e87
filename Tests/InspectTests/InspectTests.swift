import Foundation
import TestSupport
import Testing

/// `plugboard inspect` and its page, in headless Chromium. Tests/Fixtures/Inspect/scenarios.py says what is done there.
@Suite(.serialized)
struct InspectTests {
    @Test func `only who knows the token, from this machine's own address, sees exchanges`() async throws {
        try await run("guarded")
    }

    @Test(.enabled(if: hasBrowser, skipped))
    func `exchanges are filtered, opened by mouse and keyboard, and followed`() async throws { try await run("used") }

    @Test(.enabled(if: hasBrowser, skipped))
    func `a request is sent again whole or not at all, and after a question if it is not safe`() async throws {
        try await run("repeated")
    }

    @Test(.enabled(if: hasBrowser, skipped))
    func `a copied command line gives curl the request, and says when it lacks the body`() async throws {
        try await run("copied")
    }

    @Test(.enabled(if: hasBrowser, skipped))
    func `the plugin mock accepts what Make a mock saves, and the recorder what Save HAR does`() async throws {
        try await run("mocked")
    }

    @Test(.enabled(if: hasBrowser, skipped))
    func `the focus stays where parts of the page are replaced`() async throws { try await run("focused") }

    @Test(.enabled(if: hasBrowser, skipped))
    func `a running program shows what it records`() async throws { try await run("attached") }

    @Test(.enabled(if: hasBrowser, skipped))
    func `what servers have sent shows as text, of any kind and size`() async throws {
        try await run("hostile")
    }

    @Test(.enabled(if: hasBrowser, skipped))
    func `wide and narrow windows, light and dark, show all without a horizontal scroll bar`() async throws {
        try await run("looks")
    }

    @Test(.enabled(if: hasBrowser, skipped))
    func `a hundred thousand exchanges are few elements`() async throws { try await run("many") }

    // MARK: Words

    @Test(arguments: [
        (["--port", "70000"], "port"), (["a.har", "b.har"], "Unexpected argument"), (["no.har"], "Cannot read no.har"),
    ])
    func `what cannot be shown is an error in one line`(words: [String], error: String) async throws {
        let folder = try TemporaryFolder()

        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard"), "inspect"] + words, folder: folder.path)

        #expect(outcome.status != 0 && outcome.stdout.isEmpty)
        #expect(outcome.stderr.contains(error), "\(outcome.stderr)")
    }

    @Test func `a file that is neither HAR nor of the recorder is refused`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a.har", #"{"log": 1}"#)

        let outcome = try await ProcessRunner.running([try Products.executable("plugboard"), "inspect", file])

        #expect(outcome.status == 1 && outcome.stdout.isEmpty)
        #expect(outcome.stderr.contains("it has no list log.entries"), "\(outcome.stderr)")
    }

    @Test func `where the page's program is missing, the error says how to get it`() async throws {
        let folder = try TemporaryFolder()
        let alone = folder.file("plugboard")
        // By another process: a program that this one has open for writing, also in a child, cannot be started.
        _ = try await ProcessRunner.running(["cp", try Products.executable("plugboard"), alone])

        let outcome = try await ProcessRunner.running([alone, "inspect"], environment: ["PATH": folder.path])

        #expect(outcome.status == 1)
        #expect(outcome.stderr.contains("swift build -c release --product plugboard-inspect"), "\(outcome.stderr)")
    }

    // MARK: Browser

    private static let hasBrowser =
        Strictness.isSet
        || ["/usr/bin/chromium", "/usr/bin/chromedriver"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    private static let skipped: Comment = "skipped: this machine has no chromium and chromium-driver"

    private func run(_ scenario: String) async throws {
        let folder = try TemporaryFolder()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Fixtures/Inspect/scenarios.py").standardizedFileURL.path

        let outcome = try await ProcessRunner.running(
            ["python3", script, scenario, Products.folder, folder.path],
            environment: ["PYTHONDONTWRITEBYTECODE": "1", "XDG_STATE_HOME": folder.path], timeout: .seconds(300))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        print(outcome.stdout, terminator: "")
    }
}
