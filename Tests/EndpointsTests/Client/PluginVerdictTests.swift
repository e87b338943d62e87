import Foundation
import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import PluginLoader
import TestSupport
import Testing

/// What a client and its calls do with the verdict of a loaded plugin.
@Suite struct PluginVerdictTests {
    private static let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardizedFileURL.path

    /// A client whose kernel has loaded the plugin `verdict.c` of the cookbook.
    private func client(_ result: String, seen: Record, in folder: TemporaryFolder) throws -> Client {
        let library = folder.file("verdict.so")
        try ProcessRunner.output(
            of: [
                "cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden",
                "-I", "\(PluginVerdictTests.root)/Sources/CPlugboard/include",
                "\(PluginVerdictTests.root)/Examples/Cookbook/C/verdict.c", "-o", library,
            ])
        chmod(library, 0o755)
        try folder.write(
            "plugboard.json", #"{"plugins": [{"id": "com.example.verdict", "path": "verdict.so"}]}"#)
        var settings = ClientSettings(base: "https://a.test")
        settings.judge = { outcome in
            seen.add("judged \(outcome.error?.code.name ?? "")")
            return outcome.verdict
        }
        return Client(
            kernel: try Kernel(
                configuration: .file(folder.file("plugboard.json")), loader: .dynamic,
                transport: ScriptedTransport { sent, _ in
                    seen.add(sent["X-App"] ?? "")
                    return .respond(200, ["X-Result": result], body: .text("[]"))
                }),
            settings: settings)
    }

    @Test(arguments: [
        ("ok", CallState.succeeded, ["reader", "judged ", "success", "finished"]),
        ("ignore", .ignored, ["reader"]),
        ("no", .failed, ["reader", "judged com.example.verdict.refused", "failure", "finished"]),
    ])
    func `a loaded plugin decides on success, failure and neither, for calls of all programs`(
        result: String, state: CallState, lines: [String]
    ) async throws {
        let (seen, folder) = (Record(), try TemporaryFolder())
        let client = try client(result, seen: seen, in: folder)

        let call = client.call(TopicList(board: "a"), isStarted: false)
            .onSuccess { _ in seen.add("success") }.onFailure { _ in seen.add("failure") }
            .onFinished { _ in seen.add("finished") }
        call.start()
        await call.ended()

        #expect(call.state == state)
        #expect(seen.lines == lines)
    }

    @Test func `sending without a call throws the code ignored`() async throws {
        let folder = try TemporaryFolder()
        let client = try client("ignore", seen: Record(), in: folder)

        let error = await #expect(throws: PlugboardError.self) { _ = try await client.send(TopicList(board: "a")) }

        #expect(error?.code == .ignored)
        #expect(error?.plugin == "com.example.verdict")
    }
}
