import Plugboard
import TestSupport
import Testing

@Suite struct `Rule 10: watching` {
    @Test func `events come in order, each beginning with one end, and completed once`() async throws {
        let record = Record()
        let kernel = try makeKernel([])

        let handle = kernel.begin(Request(.get, anywhere)) { record.add($0.id) }
        _ = try await handle.response.body.collect(upTo: .kibibytes(1))

        #expect(
            record.lines == [
                "created", "started", "attemptBegan", "headReceived", "attemptEnded", "willComplete", "completed",
            ])
    }

    @Test func `the end of an attempt tells the code of its error, and none for a success`() async throws {
        let record = Record()
        let outcomes: [MockTransport.Outcome] = [
            .respond(500), .failure(PlugboardError(.transportDNS, "There is no a.test.")), .silence,
        ]
        let transport = MockTransport { _, number in outcomes[number - 1] }
        let kernel = try makeKernel([], transport)
        let watch = { @Sendable (event: ObservedEvent) in
            if event.kernelEvent == .attemptEnded { record.add(event["code"] ?? "none") }
        }

        for _ in 1...2 { _ = try? await kernel.begin(Request(.get, anywhere), watch: watch).response }
        let third = kernel.begin(Request(.get, anywhere), watch: watch)
        try await transport.began.opened(for: 3)
        third.cancel()
        _ = try? await third.response

        #expect(record.lines == ["none", "transport.dns", "cancelled"])
    }

    @Test(arguments: ["shouter.shouted", "*.*"])
    func `a plugin that watches gets the events that it lists, and can change nothing`(ofPlugins: String) async throws {
        let record = Record()
        let watcher = ScriptedPlugin("watcher")
        watcher.events = ["headReceived", ofPlugins]
        watcher.onEvent = { event, _ in record.add(event.id + (event["word"].map { " \($0)" } ?? "")) }
        let shouter = ScriptedPlugin("shouter")
        shouter.onRequest = { [unowned shouter] exchange in
            shouter.host?.publish("shouter.shouted", exchange: exchange.id, details: ["word": "hello"])
            return .next
        }
        let kernel = try makeKernel([watcher, shouter])

        let status = try await kernel.send(Request(.get, anywhere)).status

        #expect(status == 200)
        #expect(record.lines == ["shouter.shouted hello", "headReceived"])
    }

    @Test func `plugins that answer events with events end after a while, and the log names the plugin`() async throws {
        let record = Record()
        let warned = Record()
        let told = Gate()
        let echo = ScriptedPlugin("echo")
        echo.events = ["echo.said"]
        echo.onEvent = { [unowned echo] _, _ in record.add("\(echo.host?.publish("echo.said") ?? false)") }
        let log = KernelLog(level: .warning) { _, source, text in
            warned.add("\(source): \(text)")
            told.open()
        }
        let kernel = try makeKernel([echo], log: log)

        echo.host?.publish("echo.said")
        try await told.opened()
        _ = try await kernel.send(Request(.get, anywhere))

        #expect(record.lines == Array(repeating: "true", count: 16) + ["false"])
        #expect(warned.lines.count == 1)
        #expect(warned.lines.first?.hasPrefix("echo: The plugin echo publishes events in response to events") == true)
    }

    @Test func `plugins that answer each event with several do not fill the memory`() async throws {
        let refused = Gate()
        let echo = ScriptedPlugin("echo")
        echo.events = ["echo.said"]
        echo.onEvent = { [unowned echo] _, _ in
            for _ in 0..<100 where echo.host?.publish("echo.said") == false { refused.admit() }
        }
        let kernel = try makeKernel([echo])

        echo.host?.publish("echo.said")
        try await refused.opened()

        #expect(try await kernel.send(Request(.get, anywhere)).status == 200)
    }
}
