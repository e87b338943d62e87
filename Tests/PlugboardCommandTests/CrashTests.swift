import Foundation
import TestSupport
import Testing

/// A plugin that ends the process, and what the next one says of it.
struct CrashTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer
    private let configuration: String

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer(.raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
        let plugin = try FixturePlugin.build("crashes")
        configuration = try folder.write(
            "plugboard.json",
            #"{"kernel": {"dataDirectory": "\#(folder.path)/data"}, "plugins": [{"path": "\#(plugin)"}]}"#)
    }

    private func get(_ arguments: String...) async throws -> ProcessRunner.Outcome {
        try await Command.shell(
            #""$plugboard" get "$url" --config "$config" $arguments"#,
            ["url": server.url(), "config": configuration, "arguments": arguments.joined(separator: " ")])
    }

    private var notes: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/data/kernel")) ?? [])
    }

    @Test func `the next start names the plugin that a process ended in, once, without loaded plugins too`()
        async throws
    {
        defer { server.stop() }
        let crashed = try await get()
        let next = try await get("--safe")
        let second = try await get()
        let third = try await get()

        #expect(crashed.status != 0 && !crashed.stderr.contains("An earlier process"))
        #expect(next.status == 0 && next.stdout == "ok")
        #expect(next.stderr.contains("ended while the plugin com.example.crashes was in onResponse"))
        #expect(second.status != 0 && !second.stderr.contains("An earlier process"))
        #expect(third.stderr.components(separatedBy: "An earlier process").count == 2)
    }

    @Test func `a process that ends well leaves nothing behind`() async throws {
        defer { server.stop() }
        let harmless = try FixturePlugin.build("does_nothing")

        let outcome = try await Command.shell(
            #""$plugboard" get "$url" --config "$config" --safe && "$plugboard" get "$url" --config "$other""#,
            [
                "url": server.url(), "config": configuration,
                "other": try folder.write(
                    "other.json",
                    #"{"kernel": {"dataDirectory": "\#(folder.path)/data"}, "plugins": [{"path": "\#(harmless)"}]}"#),
            ])

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(notes.isEmpty)
    }
}
