import Foundation
import TestSupport
import Testing

/// A plugin that ends the process, and the message of the next process.
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

    @Test func `the next start names the plugin in which a process ended, once, also with --safe`()
        async throws
    {
        defer { server.stop() }
        let crashed = try await get()
        let next = try await get("--safe")
        let second = try await get()
        let third = try await get()

        #expect(crashed.status != 0 && !crashed.stderr.contains("An earlier run of plugboard"))
        #expect(next.status == 0 && next.stdout == "ok")
        #expect(next.stderr.contains("while the plugin com.example.crashes was in onResponse"))
        #expect(second.status != 0 && !second.stderr.contains("An earlier run of plugboard"))
        #expect(third.stderr.components(separatedBy: "An earlier run of plugboard").count == 2)
    }

    @Test func `a process that ends in order leaves no note behind`() async throws {
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

    /// A configuration with one plugin, over the same data.
    private func configuration(with plugin: String) throws -> String {
        try folder.write(
            "other.json",
            #"{"kernel": {"dataDirectory": "\#(folder.path)/data"}, "plugins": [{"path": "\#(plugin)"}]}"#)
    }

    @Test(arguments: ["nosuch nap", "com.example.lingers nap nonsense", "com.example.lingers nosuch"])
    func `a wrong command ends in order, even if its plugin stops slowly`(words: String) async throws {
        defer { server.stop() }
        let config = try configuration(with: try FixturePlugin.build("lingers"))

        let outcome = try await Command.shell(
            #""$plugboard" $words --config "$config""#, ["words": words, "config": config])

        #expect(outcome.status == 2 || outcome.status == 104)
        #expect(notes.isEmpty)
    }

    @Test(arguments: ["get $url --attribute nosuch.x=1", "explain $url --attribute nosuch.x=1"])
    func `a wrong request ends in order`(words: String) async throws {
        defer { server.stop() }
        let config = try configuration(with: try FixturePlugin.build("lingers"))

        let outcome = try await Command.shell(
            #""$plugboard" \#(words) --config "$config""#, ["url": server.url(), "config": config])

        #expect(outcome.status == 2, "\(outcome.stderr)")
        #expect(notes.isEmpty)
    }

    @Test func `SIGTERM ends a plugin's command in order`() async throws {
        defer { server.stop() }
        let config = try configuration(with: try FixturePlugin.build("lingers"))

        // The plugin says when its command runs.
        let outcome = try await Command.shell(
            #"""
            mkfifo "$folder/said"
            "$plugboard" com.example.lingers nap --config "$config" 2> "$folder/said" &
            exec 3< "$folder/said"
            read line <&3
            kill -TERM $!
            wait $!
            status=$?
            cat <&3 >&2
            exit $status
            """#, ["config": config, "folder": folder.path])

        #expect(outcome.status == 130, "\(outcome.stderr)")
        #expect(outcome.stderr.contains("was cancelled before com.example.lingers replied"))
        #expect(notes.isEmpty)
    }

    @Test(arguments: [
        "plugins order --config $config", "plugins list --config $config", "config check $config",
        "explain $url --config $config", "get $url --config $config --set com.example.falls.in=x",
    ])
    func `a file that ends the process while it is loaded is named by every verb`(words: String) async throws {
        defer { server.stop() }
        let plugin = try FixturePlugin.build("falls", options: ["-DFALLS_LOADING"])
        let config = try configuration(with: plugin)
        let variables = ["url": server.url(), "config": config]

        let crashed = try await Command.shell(#""$plugboard" \#(words)"#, variables)
        let next = try await Command.shell(#""$plugboard" plugins order --safe --config "$config""#, variables)
        let second = try await Command.shell(#""$plugboard" \#(words)"#, variables)
        let third = try await Command.shell(#""$plugboard" \#(words)"#, variables)

        #expect([crashed, second, third].allSatisfy { $0.status == 128 + SIGABRT || $0.status == SIGABRT })
        #expect(!crashed.stderr.contains("An earlier run"))
        #expect(next.status == 0 && next.stderr.contains("while it loaded the plugin \(plugin)."))
        // Printed before the file is loaded again.
        #expect(!second.stderr.contains("An earlier run") && third.stderr.contains("while it loaded the plugin"))
    }

    @Test func `a request without plugins does not print the note, and the next one with plugins does`() async throws {
        defer { server.stop() }
        _ = try await get()

        let bare = try folder.write("bare.json", #"{"kernel": {"dataDirectory": "\#(folder.path)/data"}}"#)
        let other = try await Command.shell(
            #""$plugboard" get "$url" --config "$bare""#, ["url": server.url(), "bare": bare])
        let next = try await get("--safe")

        #expect(other.status == 0 && !other.stderr.contains("An earlier run"))
        #expect(next.stderr.contains("the plugin com.example.crashes was in onResponse"))
    }
}
