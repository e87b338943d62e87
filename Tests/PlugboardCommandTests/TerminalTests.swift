import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCommand

/// Text from outside cannot control the terminal that it is printed to.
struct TerminalTests {
    /// Colours, a C1 control character (CSI), a carriage return, a change of direction, and DEL.
    private static let trap = "a\u{1B}[31mb\u{9B}2Jc\rd\u{202E}e\u{7F}f\r\ng\tä\n"
    private static let shown = "a\\u{1B}[31mb\\u{9B}2Jc\\u{D}d\\u{202E}e\\u{7F}f\ng\tä\n"

    private static func isSafe(_ text: String) -> Bool {
        !text.unicodeScalars.contains { VisibleText.steers($0) && $0 != "\r" }
    }

    @Test func `control characters are escaped, and all other text is unchanged`() {
        #expect(VisibleText.of(TerminalTests.trap) == TerminalTests.shown)
        #expect(VisibleText.of("e\u{301} 👩\u{200D}💻 \u{200C}ß\r") == "e\u{301} 👩\u{200D}💻 \u{200C}ß\\u{D}")
    }

    @Test(arguments: 1...7)
    func `a text in pieces of any size is shown as in one`(size: Int) {
        let bytes = Array(TerminalTests.trap.utf8) + [0xFF, 0xC3] + Array("€😀".utf8) + [0xE2, 0x82]
        var visible = VisibleText()
        var text = ""

        for start in stride(from: 0, to: bytes.count, by: size) {
            text += visible.add(Bytes(Array(bytes[start..<min(start + size, bytes.count)])))
        }
        text += visible.finish()

        #expect(text == TerminalTests.shown + "\u{FFFD}\u{FFFD}€😀\u{FFFD}")
    }

    @Test(.enabled(if: Command.hasTerminals), arguments: ["text/plain", "application/json"])
    func `a body cannot control a terminal, and is unchanged in a pipe`(type: String) async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Content-Type", type)], body: Array(TerminalTests.trap.utf8))
        }

        let shown = try await Command.onTerminal("get \(server.url())")
        let piped = try await Command.run("get", server.url())

        #expect(shown == TerminalTests.shown)
        #expect(piped.stdoutBytes == Array(TerminalTests.trap.utf8))
    }

    @Test(.enabled(if: Command.hasTerminals), arguments: ["", "1"])
    func `strings of JSON cannot control a terminal, with and without colours`(noColor: String) async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(
                fields: [("Content-Type", "application/json")], body: "[\"a\\u001b[31m\u{9B}2J\u{202E}\u{7F}\"]")
        }

        let shown = try await Command.onTerminal("get \(server.url())", environment: ["NO_COLOR": noColor])

        #expect(shown.contains(#""a\u001b[31m\u009b2J\u202e\u007f""#), "\(shown)")
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `the metadata of a file cannot control a terminal`() async throws {
        let path = try FixturePlugin.build("steers")

        for options in ["--metadata", "--metadata --json", ""] {
            let shown = try await Command.onTerminal(
                "plugins inspect '\(path)' \(options)", environment: ["NO_COLOR": "1"])
            #expect(!shown.isEmpty && TerminalTests.isSafe(shown), "\(shown.debugDescription)")
        }
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `words of the command line and names of files cannot control a terminal`() async throws {
        let name = "x\u{1B}[31m\u{9B}y"

        // The control sequences of the command itself.
        let progress = "\r\u{1B}[K"
        for line in [
            "config check '\(name)'", "get 'http://\(name)/'", "plugins check '\(name)'", "'\(name)' b",
            "get --'\(name)'", "get 127.0.0.1:1 --config '\(name)'", "get 127.0.0.1:1 --plugin '\(name)'",
            "plugins inspect '\(name)'", "get 127.0.0.1:1 --cacert '\(name)'",
        ] {
            let shown = try await Command.onTerminal(line).replacing(progress, with: "")
            #expect(!shown.isEmpty && TerminalTests.isSafe(shown), "\(line): \(shown.debugDescription)")
        }
    }
}
