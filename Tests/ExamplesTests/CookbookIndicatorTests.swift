import Foundation
import Plugboard
import PluginLoader
import Synchronization
import TestSupport
import Testing

/// The indicator in C on a terminal, and on several loops.
struct CookbookIndicatorTests {
    /// Which requests come first is not said: a server holds each until its gate opens.
    private static func server(_ first: String, _ rest: (after: Gate, text: String), _ end: Gate) throws
        -> LoopbackServer
    {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n"
            try connection.write(head + first)
            try connection.wait(for: rest.after)
            try connection.write(rest.text)
            try connection.wait(for: end)
            try connection.write(String(repeating: "x", count: 1000 - first.count - rest.text.count))
        }
    }

    @Test func `a modal request is shown with its bar, then the other one with as much of its message as fits`()
        async throws
    {
        let folder = try TemporaryFolder("indicator")
        let terminal = try PseudoTerminal(columns: 200)
        let library = try await CookbookLibraries.shared.library("indicator", .c)
        let (isShown, modalEnds, plainEnds) = (Gate(), Gate(), Gate())
        let modal = try CookbookIndicatorTests.server(
            String(repeating: "x", count: 100), (isShown, String(repeating: "x", count: 400)), modalEnds)
        let plain = try CookbookIndicatorTests.server("", (plainEnds, ""), plainEnds)
        func attributes(_ server: LoopbackServer, _ message: String, isModal: Bool) -> String {
            let origin = server.url("").hasSuffix("/") ? String(server.url("").dropLast()) : server.url("")
            return """
                "\(origin)": { "com.example.indicator": { "message": "\(message)", "modal": \(isModal) } }
                """
        }
        let configuration = try folder.write(
            "plugboard.json",
            """
            { "plugins": [{ "path": "\(library)", "settings": { "delay": "0ms" } }],
              "origins": { \(attributes(modal, "pay\\u0007", isModal: true)),
                \(attributes(plain, String(repeating: "ä", count: 40), isModal: false)) } }
            """)
        let requests = try folder.write(
            "requests", "{\"id\":\"1\",\"url\":\"\(plain.url())\"}\n{\"id\":\"2\",\"url\":\"\(modal.url())\"}\n")
        let line = "exec \"$plugboard\" exec --config \"$configuration\" <\"$requests\" 2>\"$terminal\""

        async let running = ProcessRunner.running(
            ["/bin/sh", "-c", line],
            environment: [
                "plugboard": Products.executable("plugboard"), "configuration": configuration, "requests": requests,
                "terminal": terminal.path, "TERM": "xterm",
            ])
        // Progress is told again after a tenth of a second, which is the time between two drawings.
        for _ in 1...2 { _ = try await terminal.reading(until: "pay? [#.........] (2)") }
        isShown.open()
        _ = try await terminal.reading(until: "pay? [#####.....] (2)")
        modalEnds.open()
        // 63 bytes are kept: 31 characters of two bytes.
        let rest = try await terminal.reading(until: " \(String(repeating: "ä", count: 31)) ")
        plainEnds.open()
        let outcome = try await running
        let end = try terminal.read(after: rest, to: "\r\u{1B}[K")

        #expect(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        #expect(!end.contains(String(repeating: "ä", count: 32)) && !end.contains("\u{FFFD}"))
    }

    @Test func `it publishes without its lock, so that requests on another loop go on meanwhile`() async throws {
        let library = try await CookbookLibraries.shared.library("indicator", .c)
        let (isShown, second, ends) = (Gate(), Gate(), Gate())
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            if request.path == "/second" { second.open() } else { try connection.wait(for: ends) }
            try connection.respond(body: "ok")
        }
        var configuration = Configuration(plugins: [PluginEntry(id: nil, path: library, settings: ["delay": "0ms"])])
        configuration.kernel.loops = 2
        let hasPassed = Mutex(false)
        let kernel = try Kernel(
            configuration: configuration, loader: .dynamic, log: .silent,
            watch: { event in
                guard event.id == "com.example.indicator.shown" else { return }
                isShown.open()
                // As a hook of another plugin might, this keeps its loop busy.
                let isSent = (try? second.wait(timeout: .seconds(20))) != nil
                hasPassed.withLock { $0 = isSent }
            })

        async let first = kernel.send(Request(.get, server.url("/first"))).body.text()
        try await isShown.opened()
        let text = try await kernel.send(Request(.get, server.url("/second"))).body.text()
        ends.open()
        let other = try await first

        #expect(hasPassed.withLock { $0 } && text == "ok" && other == "ok")
        await kernel.shutDown(within: .zero)
    }
}
