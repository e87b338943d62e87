import Foundation
import PlugboardJSON
import Synchronization
import TestSupport
import Testing

/// Downloads that are killed.
struct DownloadKillTests {
    @Test(.timeLimit(.minutes(5)))
    func `a download that is killed a hundred times at random moments ends with the whole file`() async throws {
        let content = RangeServer.content(1_500_000)
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            let reply = RangeServer.correct(request, content)
            try connection.write(
                ServerResponse(
                    status: reply.status, fields: reply.fields + [("Content-Length", "\(reply.body.count)")], body: []
                ).bytes())
            for start in stride(from: 0, to: reply.body.count, by: 16_384) {
                try connection.write(Array(reply.body[start..<min(start + 16_384, reply.body.count)]))
                usleep(5000)
            }
        }
        let folder = try TemporaryFolder()
        let configuration = try folder.write("plugboard.json", #"{"plugins": ["resume"]}"#)
        var random = SeededRandom(seed: 13)
        var kills = 0
        var files = 0
        while kills < 100 {
            let path = folder.file("file\(files)")
            let seconds = Double.random(in: 0.02...0.5, using: &random)
            let outcome = try await ProcessRunner.running(
                ["timeout", "-s", "KILL", "\(seconds)"] + command(configuration, folder),
                input: Array(line(server.url(), path).utf8))
            if outcome.stdout.isEmpty {
                kills += 1
            }
            if FileManager.default.fileExists(atPath: path) { files += 1 }
        }

        let last = folder.file("file\(files)")
        let outcome = try await ProcessRunner.running(
            command(configuration, folder), input: Array(line(server.url(), last).utf8))

        #expect(try JSONParser.parse(outcome.stdout)["error"] == nil)
        for index in 0...files { #expect(try folder.read("file\(index)") == content) }
        #expect(server.requests.filter { $0["Range"] != nil }.count > 10)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a download in several parts that is killed at random moments ends with the whole file`() async throws {
        let content = RangeServer.content(6 << 20)
        let kills = Mutex(Killing())
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            let reply = RangeServer.correct(request, content)
            let fields = reply.fields + [("Content-Length", "\(reply.body.count)")]
            try connection.write(ServerResponse(status: reply.status, fields: fields, body: []).bytes())
            var sent = 0
            while sent < reply.body.count {
                let end = min(sent + 16_384, reply.body.count)
                try connection.write(Array(reply.body[sent..<end]))
                kills.withLock { $0.note(end - sent) }
                sent = end
            }
        }
        let folder = try TemporaryFolder()
        var random = SeededRandom(seed: 14)
        var killed = 0
        var files = 0
        while killed < 30 {
            kills.withLock { $0.left = Int.random(in: 1 << 16...5 << 20, using: &random) }
            let outcome = try await ProcessRunner.running(
                [
                    try Products.executable("plugboard"), "download", server.url(), "--segments", "4", "--resume",
                    "--limit-rate", "20MiB", "--progress", "none", "-o", folder.file("file\(files)"),
                ],
                onStart: { kill in kills.withLock { $0.kill = kill } })
            if outcome.status == 0 { files += 1 } else { killed += 1 }
        }

        let last = try await Command.run(
            "download", server.url(), "--segments", "4", "--resume", "-o", folder.file("file\(files)"))

        #expect(last.status == 0, "\(last.stderr)")
        for index in 0...files { #expect(try folder.read("file\(index)") == content) }
        #expect(server.requests.filter { $0["Range"] != nil }.count > 2)
    }

    /// Kills a program when a server has sent so many bytes.
    private struct Killing {
        var left = 0
        var kill: (@Sendable () -> Void)?

        mutating func note(_ count: Int) {
            left -= count
            guard left <= 0 else { return }
            kill?()
            kill = nil
        }
    }

    private func command(_ configuration: String, _ folder: TemporaryFolder) throws -> [String] {
        [
            try Products.executable("plugboard"), "exec", "--config", configuration, "--state", folder.file("state"),
        ]
    }

    private func line(_ url: String, _ path: String) -> String {
        #"{"id": "1", "url": "\#(url)", "download": {"file": "\#(path)", "resume": true}}"# + "\n"
    }
}
