import Foundation
import PlugboardJSON
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCommand

/// The progress of transfers, and what else is written to its terminal.
struct TransferDisplayTests {
    private let folder: TemporaryFolder
    private var state: [String: String] { ["XDG_STATE_HOME": folder.file("state"), "TERM": "xterm"] }

    init() throws { folder = try TemporaryFolder() }

    /// The lines of a terminal that has got a text with the control sequences of this command.
    private static func screen(_ text: String) -> [String] {
        var lines: [[Unicode.Scalar]] = [[]]
        var (row, column) = (0, 0)
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n":
                // A terminal adds the carriage return.
                (row, column) = (row + 1, 0)
                if row == lines.count { lines.append([]) }
            case "\u{1B}":
                var parameter = ""
                rest = rest.dropFirst()
                while let next = rest.popFirst() {
                    if next.properties.isAlphabetic {
                        if next == "A" { row = max(row - (Int(parameter) ?? 1), 0) }
                        if next == "J" || next == "K" { lines[row].removeSubrange(min(column, lines[row].count)...) }
                        if next == "J" { lines.removeSubrange((row + 1)...) }
                        break
                    }
                    parameter.unicodeScalars.append(next)
                }
            default:
                while lines[row].count <= column { lines[row].append(" ") }
                lines[row][column] = scalar
                column += 1
            }
        }
        return lines.map { String(String.UnicodeScalarView($0)) }
    }

    private func count(_ done: Int) -> TransferCount { TransferCount(done: done, resumed: 0, total: nil) }

    @Test func `a terminal that is blocked does not stop those who report, and gets each last line`() async throws {
        let texts = Mutex<[String]>([])
        let (began, mayGoOn) = (Gate(), Gate())
        let display = TransferDisplay(.bar) { text in
            texts.withLock { $0.append(text) }
            began.open()
            try? mayGoOn.wait()
        }

        display.show(0, "a", count(1))
        try await began.opened()
        for done in 2...100 { display.show(0, "a", count(done)) }
        display.end(0, "a: complete", [:])
        display.end(1, "b: \u{1B}[2J", [:])
        display.show(0, "a", count(7))
        mayGoOn.open()
        await display.finish()

        let all = texts.withLock { $0 }
        #expect(all.count <= 4 && all[0].contains("1 B"), "\(all)")
        #expect(TransferDisplayTests.screen(all.joined()) == ["a: complete", "b: \\u{1B}[2J", ""])
    }

    @Test func `all files together are drawn ten times a second at most`() async throws {
        let drawings = Mutex(0)
        let display = TransferDisplay(.bar) { _ in drawings.withLock { $0 += 1 } }
        let began = ContinuousClock.now

        for round in 1...2000 {
            for file in 0..<8 { display.show(file, "file", count(round)) }
            await Task.yield()
        }
        await display.finish()

        let seconds = (ContinuousClock.now - began) / .seconds(1)
        #expect(Double(drawings.withLock { $0 }) <= seconds * 10 + 3)
    }

    // MARK: The command

    /// A server whose second half waits for a gate.
    private func halting(_ gate: Gate) throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            let half = String(repeating: "x", count: 50_000)
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\nConnection: close\r\n\r\n" + half)
            try connection.wait(for: gate)
            try connection.write(half)
        }
    }

    @Test func `the log stands between the drawings, and no indicator draws`() async throws {
        let gate = Gate()
        let server = try halting(gate)
        let terminal = try PseudoTerminal()
        let library = folder.file("indicator.so")
        let root = String(#filePath.dropLast("/Tests/PlugboardCommandTests/TransferDisplayTests.swift".count))
        try ProcessRunner.output(
            of: [
                "cc", "-std=c11", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", "-I",
                "\(root)/Sources/CPlugboard/include", "\(root)/Examples/Cookbook/C/indicator.c",
                "-o", library,
            ])
        chmod(library, 0o755)
        let configuration: JSONValue = [
            "plugins": [
                ["path": .string(try FixturePlugin.build("warns"))],
                ["path": .string(library), "settings": ["delay": "0ms"]],
                ["id": "indicator", "settings": ["delay": "0ms", "terminal": .string(terminal.path)]],
            ]
        ]
        let path = try folder.write("plugboard.json", JSONWriter.write(configuration) as [UInt8])
        let variables = [
            "file": folder.file("file"), "url": server.url(), "configuration": path, "terminal": terminal.path,
        ]

        async let running = Command.shell(
            #"exec "$plugboard" download "$url" -o "$file" --config "$configuration" 2>"$terminal""#,
            state.merging(variables) { _, new in new })
        var text = try await terminal.reading(until: " % ")
        gate.open()
        let outcome = try await running
        text = try terminal.read(after: text, to: "97.6 KiB\r\n")

        let screen = TransferDisplayTests.screen(text)
        let warning = "plugboard: warning: com.example.warns: bytes have come"
        #expect(outcome.status == 0, "\(text)")
        #expect(screen.dropLast(2).allSatisfy { $0 == warning } && screen.count >= 4, "\(screen)")
        #expect(screen.suffix(2) == ["\(folder.file("file")): 97.6 KiB", ""], "\(screen)")
        #expect(screen.filter { $0 == warning }.count == text.components(separatedBy: warning).count - 1)
        #expect(!text.contains("Loading"))
    }

    @Test(arguments: ["terminal", "pipe", "signal"])
    func `what is not read stops no download, and is written when it is read`(kind: String) async throws {
        let content = RangeServer.content(200_000)
        let server = try RangeServer { _, request in RangeServer.correct(request, content) }
        let terminal = try PseudoTerminal()
        let fifo = folder.file("fifo")
        mkfifo(fifo, 0o600)
        let pipe = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        let stopped = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer {
            close(pipe)
            close(stopped)
        }
        while write(pipe, [UInt8](repeating: 0x0A, count: 4096), 4096) > 0 {}
        tcflow(stopped, TCOOFF)
        let output = kind == "pipe" ? #"--progress json >"$fifo""# : #"2>"$terminal""#
        let line = """
            "$plugboard" download "$url" -o "$file" --segments 2 \(output) & id=$!
            if [ "$kind" = signal ]; then while ! [ -e "$file" ]; do sleep 0.02; done; kill -INT $id; fi
            wait $id
            """
        let variables = [
            "file": folder.file("file"), "url": server.url, "fifo": fifo, "terminal": terminal.path, "kind": kind,
        ]

        async let running = Command.shell(line, state.merging(variables) { _, new in new })
        let deadline = ContinuousClock.now + .seconds(60)
        while !FileManager.default.fileExists(atPath: folder.file("file")), .now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        let received = try folder.read("file")
        if kind == "terminal" { tcflow(stopped, TCOON) }
        var text = ""
        if kind == "pipe" {
            var piece = [UInt8](repeating: 0, count: 65_536)
            while !text.contains("isComplete") {
                let count = Glibc.read(pipe, &piece, piece.count)
                if count > 0 { text += String(decoding: piece[..<count], as: UTF8.self) }
                if count <= 0 { try await Task.sleep(for: .milliseconds(10)) }
            }
        }
        let outcome = try await running
        if kind == "terminal" { text = try terminal.read(after: "", to: "195.3 KiB\r\n") }

        #expect(received == content)
        #expect(outcome.status == (kind == "signal" ? 130 : 0), "\(outcome.stderr)")
        if kind == "terminal" { #expect(text.hasSuffix("\(folder.file("file")): 195.3 KiB\r\n"), "\(text)") }
        if kind == "pipe" {
            let last = try JSONParser.parse(String(try #require(text.split(separator: "\n").last)))
            #expect(last["isComplete"] == true && last["received"] == 200_000)
        }
    }

    @Test func `several uploads have a line of totals from the beginning`() async throws {
        let (gate, content) = (Gate(), RangeServer.content(50_000))
        for name in ["a", "b", "c"] { try folder.write(name, content) }
        var plan = UploadServer.Plan(.none)
        plan.onPiece = { connection, _ in try connection.wait(for: gate) }
        let server = try UploadServer(plan)
        let terminal = try PseudoTerminal()
        let variables = ["folder": folder.path, "url": server.url("/d/"), "terminal": terminal.path]

        async let running = Command.shell(
            #"cd "$folder"; exec "$plugboard" upload a b c "$url" --resumable none --parallel 1 2>"$terminal""#,
            state.merging(variables) { _, new in new })
        let text = try await terminal.reading(until: "of 3 files")
        gate.open()
        let outcome = try await running

        #expect(text.contains("0 of 3 files"), "\(text)")
        #expect(outcome.status == 0 && server.contents.count == 3)
        #expect(TransferDisplayTests.screen(text + (try terminal.read())).dropLast().allSatisfy { $0.hasSuffix("KiB") })
    }
}
