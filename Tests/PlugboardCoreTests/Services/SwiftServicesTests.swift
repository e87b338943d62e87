import Plugboard
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

/// The services that plugins in Swift get from their host and their exchange, beside those of `HostTests`,
/// `CommandTests` and `SubRequestTests`.
struct SwiftServicesTests {
    @Test func `a line below the log's level is not even made`() throws {
        let record = Record()
        let plugin = ScriptedPlugin("box")
        let kernel = try makeKernel(
            [plugin],
            log: KernelLog(level: .warning) { level, source, text in record.add("\(level) \(source) \(text)") })
        defer { withExtendedLifetime(kernel) {} }
        let host = try #require(plugin.host)

        for level in PlugboardKit.LogLevel.allCases {
            host.log(
                level,
                {
                    record.add("made \(level)")
                    return "line"
                }())
        }

        #expect(record.lines == ["made warning", "warning box line", "made error", "error box line"])
        #expect(PlugboardKit.LogLevel.allCases.filter { host.prints($0) } == [.warning, .error])
    }

    @Test func `a plugin's events have its own id; events under another id are refused`() async throws {
        let record = Record()
        let plugin = ScriptedPlugin("box")
        plugin.onRequest = { [unowned plugin] exchange in
            for id in ["box.opened", "boxer.hit", "box", "completed", "cache.hit"] {
                plugin.host?.publish(id, exchange: exchange.id, details: ["by": "hand"])
            }
            return .next
        }
        let kernel = try makeKernel([plugin])

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.kernelEvent == nil || event["by"] != nil {
                record.add("\(event.id) \(event["by"] ?? "-")")
            }
        }
        _ = try await handle.response

        #expect(record.lines == ["box.opened hand"])
    }

    @Test func `an attribute that a plugin sets is read, typed, by plugins further in`() async throws {
        let key = AttributeKey<Duration>("inner", "patience", "How long it waits.")
        let record = Record()
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onRequest = { exchange in
            record.add("before \(exchange[key].map { "\(DurationText($0))" } ?? "-")")
            exchange.setAttribute(key.name, "90s")
            record.add("after \(exchange[key].map { "\(DurationText($0))" } ?? "-")")
            return .next
        }
        let inner = ScriptedPlugin("inner", priority: 2)
        inner.attributes = [key.definition]
        inner.onRequest = { exchange in
            record.add("inner \((exchange[key] ?? .zero) == .seconds(90))")
            return .next
        }
        let kernel = try makeKernel([outer, inner])

        _ = try await kernel.send(Request(.get, anywhere, attributes: [key.name: "5s"]))

        #expect(record.lines == ["before 5s", "after \(DurationText(.seconds(90)))", "inner true"])
    }

    @Test func `an attribute that a plugin sets is checked against the table of the plugin that it is for`()
        async throws
    {
        let key = AttributeKey<Duration>("inner", "patience", "How long it waits.")
        let record = Record()
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onRequest = { exchange in
            let tries = [
                ("inner.patience", "soon"), ("inner.patiense", "3s"), ("inner.enabled", "no"), ("inner.patience", "2s"),
                ("other.at", "home"),
            ]
            for (name, value) in tries { record.add("\(name) \(value) \(exchange.setAttribute(name, value))") }
            return .next
        }
        let inner = ScriptedPlugin("inner", priority: 2)
        inner.attributes = [key.definition]
        inner.onRequest = { exchange in
            record.add(
                "patience \(exchange.attribute("inner.patience") ?? "-"), at \(exchange.attribute("other.at") ?? "-")")
            return .next
        }
        let kernel = try makeKernel([outer, inner])

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(
            record.lines == [
                "inner.patience soon false", "inner.patiense 3s false", "inner.enabled no false",
                "inner.patience 2s true",
                "other.at home false", "patience 2s, at -",
            ])
    }

    @Test func `the attributes of a sub-request are held against the tables, as a program's are`() async throws {
        let key = AttributeKey<Duration>("inner", "patience", "How long it waits.")
        let record = Record()
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onRequest = { [unowned outer] exchange in
            guard let host = outer.host else { return .next }
            let id = exchange.id
            return .wait {
                for (name, value) in [("inner.patience", "soon"), ("inner.patiense", "3s"), ("other.at", "home")] {
                    do throws(PlugboardError) {
                        let response = try await host.send(
                            Request(.get, anywhere, attributes: [name: value]), for: id)
                        record.add("\(name) \(response.head.status)")
                    } catch {
                        record.add("\(name) \(error.code)")
                    }
                }
                return { _ in .next }
            }
        }
        let inner = ScriptedPlugin("inner", priority: 2)
        inner.attributes = [key.definition]
        let kernel = try makeKernel([outer, inner])

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(
            record.lines == [
                "inner.patience request.option", "inner.patiense request.option", "other.at request.option",
            ])
    }

    @Test func `a command replies with a body, with an error, or later`() async throws {
        let clock = ManualClock()
        let started = Gate()
        let plugin = ScriptedPlugin("box")
        plugin.commands = ["body", "error", "later"].map { CommandDefinition($0, "Replies.") }
        plugin.onCommand = { [unowned plugin] name, _, reply in
            switch name {
            case "body": reply.body(.text("all of it"))
            case "error": reply.fail(PlugboardError("box.shut", "The box is shut."))
            default:
                plugin.host?.schedule(after: .seconds(5)) { reply.json(true) }
                started.admit()
            }
        }
        let kernel = try makeKernel([plugin], clock: clock)

        guard case .body(let body) = try await kernel.command("box", "body") else {
            Issue.record("the reply is no body")
            return
        }
        let text = try await body.text()
        let error = await #expect(throws: PlugboardError.self) { try await kernel.command("box", "error") }
        async let later = kernel.command("box", "later")
        try await started.opened()
        // The loop has set the timer when it has carried out what came after it.
        _ = try await kernel.send(Request(.get, anywhere))
        clock.advance(by: .seconds(6))
        guard case .json(let json) = try await later else {
            Issue.record("the reply is no JSON")
            return
        }

        #expect(text == "all of it")
        #expect(error?.code == "box.shut" && error?.plugin == "box")
        #expect(json == "true")
    }

    /// Tells when it is let go of.
    private final class Probe: Sendable {
        private let record: Record
        private let name: String
        init(_ name: String, _ record: Record) { (self.name, self.record) = (name, record) }
        func touch() { record.add("\(name) ran") }
        deinit { record.add(name) }
    }

    @Test func `a timer's closure is let go of when it has run, when it is cancelled, and when the kernel ends`()
        async throws
    {
        let clock = ManualClock()
        let record = Record()
        let plugin = ScriptedPlugin("box")
        let kernel = try makeKernel([plugin], clock: clock)
        let host = try #require(plugin.host)
        func schedule(_ name: String, after delay: Duration) -> PluginHost.Timer {
            let probe = Probe(name, record)
            return host.schedule(after: delay) { probe.touch() }
        }

        let due = schedule("due", after: .seconds(1))
        let unwanted = schedule("unwanted", after: .seconds(1))
        let late = schedule("late", after: .seconds(60))
        let far = schedule("far", after: .nanoseconds(Int64.max))
        let isCancelled = unwanted.cancel()
        // The loop has set the timers when it has carried out what came after them.
        _ = try await kernel.send(Request(.get, anywhere))
        clock.advance(by: .seconds(2))
        _ = try await kernel.send(Request(.get, anywhere))
        let before = record.lines
        await kernel.shutDown()
        let after = record.lines.dropFirst(before.count)
        let stale = schedule("stale", after: .zero)

        #expect(isCancelled)
        #expect(before == ["unwanted", "due ran", "due"])
        #expect(after.sorted() == ["far", "late"])
        #expect(record.lines.last == "stale")
        #expect(![due, unwanted, stale].contains { $0.cancel() })
        withExtendedLifetime((late, far)) {}
    }

    /// Says when the kernel shuts it down, which is on the loop.
    private final class LastTransport: Transport {
        private let record: Record
        init(_ record: Record) { self.record = record }

        func perform(
            _ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop
        ) -> any PlugboardTransport.Attempt { MockTransport().perform(attempt, observer: observer, loop: loop) }
        func forget() {}
        func shutDown() { record.add("loop ended") }
    }

    @Test func `timers are let go of when a plugin cannot be started, after the loop has ended`() throws {
        let clock = ManualClock()
        let record = Record()
        let sound = ScriptedPlugin("a", priority: 1)
        sound.onStart = { [unowned sound] in
            let (probe, late) = (Probe("due", record), Probe("late", record))
            sound.host?.schedule(after: .seconds(60)) { probe.touch() }
            sound.host?.schedule(after: .seconds(600)) { late.touch() }
        }
        let broken = ScriptedPlugin("box", priority: 2)
        let shut = PlugboardError("box.shut", "The box is shut.")
        broken.onStart = { [unowned broken] in
            let probe = Probe("own", record)
            broken.host?.schedule(after: .seconds(60)) { probe.touch() }
            throw shut
        }

        let error = #expect(throws: PlugboardError.self) {
            try makeKernel([sound, broken], LastTransport(record), clock: clock)
        }
        clock.advance(by: .seconds(120))

        #expect(error?.code == .pluginStart && error?.reason.contains("box is shut") == true)
        #expect(record.lines.sorted() == ["due", "late", "loop ended", "own"])
        #expect(record.lines.first == "loop ended")
    }

    @Test func `a command whose plugin drops the reply fails, and one that has its reply keeps it`() async throws {
        let plugin = ScriptedPlugin("box")
        plugin.commands = ["ignored", "replied"].map { CommandDefinition($0, "Replies or does not.") }
        plugin.onCommand = { name, _, reply in
            if name == "replied" { reply.json(["once": reply.json(1) ? "first" : "second"]) }
        }
        let kernel = try makeKernel([plugin])

        let error = await #expect(throws: PlugboardError.self) { try await kernel.command("box", "ignored") }
        let result = try await kernel.command("box", "replied")

        #expect(error?.code == "command.failed" && error?.plugin == "box")
        if case .json(let text) = result { #expect(text == "1") } else { Issue.record("the reply is no JSON") }
    }

    @Test func `state is released once when it is replaced, and once when all is over`() async throws {
        let record = Record()
        let plugin = ScriptedPlugin("box")
        plugin.onRequest = { exchange in
            exchange.turnState = Probe("turn 1", record)
            exchange.turnState = Probe("turn 2", record)
            exchange.state = Probe("exchange 1", record)
            exchange.state = nil
            exchange.state = Probe("exchange 2", record)
            return .next
        }
        plugin.onClose = { _, _ in record.add("close") }
        let kernel = try makeKernel([plugin])

        _ = try await kernel.send(Request(.get, anywhere)).body.text()
        await kernel.shutDown()

        #expect(record.lines == ["turn 1", "exchange 1", "close", "turn 2", "exchange 2"])
    }
}
