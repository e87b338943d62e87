import Foundation
import PlugboardJSON
import PlugboardMessages
import Synchronization
import TestSupport
import Testing

/// Downloads that are killed.
struct DownloadKillTests {
    @Test(.timeLimit(.minutes(5)))
    func `a download that is killed a hundred times at random moments ends with the whole file`() async throws {
        let content = RangeServer.content(12 << 20)
        let kills = Killing()
        let server = try killing(kills, content)
        let folder = try TemporaryFolder()
        let configuration = try folder.write("plugboard.json", #"{"plugins": ["resume"]}"#)
        var random = SeededRandom(seed: 13)
        var killed = 0
        var files = 0
        while killed < 100 {
            let path = folder.file("file\(files)")
            // Also before the first byte: the head of the response counts as one.
            kills.begin(killed % 10 == 0 ? 1 : Int.random(in: 1...8 << 20, using: &random))
            let outcome = try await ProcessRunner.running(
                command(configuration, folder), input: Array(line(server.url(), path).utf8),
                onStart: { kills.set($0) })
            if outcome.stdout.isEmpty { killed += 1 }
            if FileManager.default.fileExists(atPath: path) { files += 1 }
        }
        kills.set(nil)

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
        let kills = Killing()
        let server = try killing(kills, content)
        let folder = try TemporaryFolder()
        var random = SeededRandom(seed: 14)
        var killed = 0
        var files = 0
        while killed < 30 {
            kills.begin(Int.random(in: 1 << 16...5 << 20, using: &random))
            let outcome = try await ProcessRunner.running(
                [
                    try Products.executable("plugboard"), "download", server.url(), "--segments", "4", "--resume",
                    "--limit-rate", "20MiB", "--progress", "none", "-o", folder.file("file\(files)"),
                ],
                onStart: { kills.set($0) })
            if outcome.status == 0 { files += 1 } else { killed += 1 }
        }

        let last = try await Command.run(
            "download", server.url(), "--segments", "4", "--resume", "-o", folder.file("file\(files)"))

        #expect(last.status == 0, "\(last.stderr)")
        for index in 0...files { #expect(try folder.read("file\(index)") == content) }
        #expect(server.requests.filter { $0["Range"] != nil }.count > 2)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [1, 3])
    func `a download that is killed at each of its changes of the folder ends with the whole file`(
        segments: Int
    ) async throws {
        let content = RangeServer.content(3 << 20)
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            try RangeServer.send(RangeServer.correct(request, content), connection)
        }
        var killed: [Int] = []
        // The journal is made, written and renamed; the bytes are written; the file gets its name.
        for changes in [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 18, 25, 40, 60, 90] {
            let folder = try TemporaryFolder()
            let kill = Mutex<(@Sendable () -> Void)?>(nil)
            let watch = try FolderWatch(folder.path, after: changes) { kill.withLock { $0?() } }
            let arguments = [
                "download", server.url(), "--segments", "\(segments)", "--resume", "-o", folder.file("file"),
            ]
            let outcome = try await ProcessRunner.running(
                [try Products.executable("plugboard")] + arguments,
                onStart: { own in kill.withLock { $0 = own } })
            if outcome.status != 0 {
                killed.append(changes)
                // There is never a part of the file under its name.
                let isThere = FileManager.default.fileExists(atPath: folder.file("file"))
                #expect(try !isThere || folder.read("file") == content)
            }
            let last = try await Command.running(arguments + ["--overwrite"])

            #expect(last.status == 0, "after \(changes) changes: \(last.stderr)")
            #expect(try folder.read("file") == content && folder.entries() == ["file"], "after \(changes) changes")
            withExtendedLifetime(watch) {}
        }
        #expect(killed.count >= 5, "\(killed)")
    }

    /// The kill comes when the piece is requested again, or with half of it sent.
    @Test(arguments: [0, 65_536])
    func `a download that is killed between a wrong piece and the right one requests that piece`(
        sent: Int
    ) async throws {
        let content = RangeServer.content(1_048_576)
        let piece = 524_288...655_359
        let kill = Mutex<(@Sendable () -> Void)?>(nil)
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            guard request.target != "/list" else {
                let text = DownloadKillTests.metalink(of: content, at: request["Host"] ?? "", piece: piece.count)
                return try RangeServer.send(
                    .init(200, [("Content-Type", "application/metalink4+xml")], text), connection)
            }
            guard let range = RangeServer.range(of: request), range.first >= piece.lowerBound else {
                var wrong = content
                wrong[600_000] ^= 1
                return try RangeServer.send(RangeServer.correct(request, wrong), connection)
            }
            let first = kill.withLock { kill in
                defer { kill = nil }
                return kill
            }
            let reply = RangeServer.correct(request, content)
            guard let first else { return try RangeServer.send(reply, connection) }
            let fields = reply.fields + [("Content-Length", "\(reply.body.count)")]
            let head = ServerResponse(status: reply.status, fields: fields, body: []).bytes()
            if sent > 0 { try connection.write(head + reply.body[..<sent]) }
            connection.waitUntilArrived()
            first()
        }
        let folder = try TemporaryFolder()
        let arguments = ["download", server.url("/list"), "--follow-metalink", "--resume", "-o", folder.path + "/"]

        let killed = try await ProcessRunner.running(
            [try Products.executable("plugboard")] + arguments, onStart: { own in kill.withLock { $0 = own } })
        let before = server.requests.count
        let last = try await Command.running(arguments)

        #expect(killed.status != 0 && last.status == 0, "\(last.stderr)")
        #expect(try folder.read("file") == content && folder.entries() == ["file"])
        let ranges = server.requests[before...].compactMap { RangeServer.range(of: $0) }
        // The journal may list some of the right bytes that came before the kill.
        #expect(ranges.first.map { piece.contains($0.first) && $0.last == piece.upperBound } == true, "\(ranges)")
        #expect(ranges.dropFirst().allSatisfy { $0.first > piece.upperBound }, "\(ranges)")
    }

    /// A document with the digests of a file's pieces.
    private static func metalink(of content: [UInt8], at host: String, piece: Int) -> [UInt8] {
        let hashes = stride(from: 0, to: content.count, by: piece).map { first in
            "<hash>\(Bytes(Array(content[first..<min(first + piece, content.count)])).sha256)</hash>"
        }
        let text = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="file"><size>\(content.count)</size>
            <pieces type="sha-256" length="\(piece)">\(hashes.joined())</pieces>
            <url>http://\(host)/file</url></file></metalink>
            """
        return Array(text.utf8)
    }

    /// A server that kills the program when it has sent so many bytes.
    private func killing(_ kills: Killing, _ content: [UInt8]) throws -> LoopbackServer {
        try LoopbackServer { connection in
            let request = try connection.readRequest()
            let reply = RangeServer.correct(request, content)
            let fields = reply.fields + [("Content-Length", "\(reply.body.count)")]
            try connection.write(ServerResponse(status: reply.status, fields: fields, body: []).bytes())
            kills.note(1)
            for first in stride(from: 0, to: reply.body.count, by: 16_384) {
                let end = min(first + 16_384, reply.body.count)
                try connection.write(Array(reply.body[first..<end]))
                kills.note(end - first)
            }
        }
    }

    /// Kills a program when a server has sent so many bytes.
    private final class Killing: Sendable {
        private let state = Mutex<(left: Int, kill: (@Sendable () -> Void)?)>((0, nil))

        func begin(_ count: Int) { state.withLock { $0 = (count, nil) } }
        func set(_ kill: (@Sendable () -> Void)?) { state.withLock { $0.kill = kill } }

        func note(_ count: Int) {
            state.withLock { state in
                state.left -= count
                guard state.left <= 0 else { return }
                state.kill?()
                state.kill = nil
            }
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
