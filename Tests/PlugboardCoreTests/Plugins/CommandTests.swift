import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardKit
import TestSupport
import Testing

@Suite struct `Commands and services` {
    private func commanding(_ reply: @escaping @Sendable (String, JSONValue, Reply) -> Void) -> ScriptedPlugin {
        let plugin = ScriptedPlugin("box")
        plugin.commands = [CommandDefinition("show", "Shows."), CommandDefinition("forget", "Forgets.")]
        plugin.onCommand = reply
        return plugin
    }

    @Test func `a command gets its arguments and replies with JSON`() async throws {
        let plugin = commanding { name, arguments, reply in reply.json(["name": .string(name), "got": arguments]) }
        let kernel = try makeKernel([plugin])

        guard case .json(let text) = try await kernel.command("box", "show", #"{"url": "x"}"#) else {
            Issue.record("the reply is no JSON")
            return
        }

        #expect(try JSONParser.parse(text) == ["name": "show", "got": ["url": "x"]])
    }

    @Test(arguments: [("show", true), ("work", false), ("other", false), (nil, false)])
    func `a plugin is quiet in a program that is started for a quiet command alone`(name: String?, isQuiet: Bool)
        async throws
    {
        let quiet = Record()
        let plugin = ScriptedPlugin("box")
        plugin.commands = [CommandDefinition("show", "Shows.", isQuiet: true), CommandDefinition("work", "Works.")]
        plugin.onCommand = { _, _, reply in reply.json(.null) }
        plugin.onCreate = { quiet.add("\($0.isQuiet)") }
        let beside = ScriptedPlugin("beside")
        beside.onCreate = { quiet.add("\($0.isQuiet)") }
        var configuration = Configuration(plugins: ["box", "beside"])
        if let name { configuration.onlyCommand = ("box", name) }
        let kernel = try Kernel(
            configuration: configuration, catalog: Catalog([plugin.descriptor, beside.descriptor]),
            transport: MockTransport(), log: .silent)

        #expect(quiet.lines.sorted() == ["false", "\(isQuiet)"].sorted())
        let definitions = try PluginDescriptor(checking: plugin.descriptor).commands
        #expect(definitions.map(\.isQuiet) == [true, false])
        await kernel.shutDown()
    }

    @Test func `a second reply is refused`() async throws {
        let record = Record()
        let plugin = commanding { _, _, reply in
            record.add("\(reply.json(1))")
            record.add("\(reply.json(2))")
        }
        let kernel = try makeKernel([plugin])

        _ = try await kernel.command("box", "show")
        await kernel.shutDown()

        #expect(record.lines.first == "true")
        #expect(!record.lines.dropFirst().contains("true"))
    }

    @Test(arguments: [true, false])
    func `cancelling a command ends its wait, early or late, and the reply is dropped`(isEarly: Bool)
        async throws
    {
        let (started, freed) = (Gate(), Gate())
        let record = Record()
        let plugin = commanding { _, _, reply in
            started.admit()
            try? freed.wait()
            record.add("replied \(reply.json(1))")
        }
        let kernel = try makeKernel([plugin])

        let asking = Task { () -> PlugboardError? in
            if isEarly { while !Task.isCancelled { await Task.yield() } }
            do throws(PlugboardError) {
                _ = try await kernel.command("box", "show")
                return nil
            } catch {
                return error
            }
        }
        if !isEarly { try await started.opened() }
        asking.cancel()
        let error = await asking.value
        freed.open()
        await kernel.shutDown()

        #expect(error?.code == .cancelled)
        #expect(record.lines == ["replied false"])
    }

    @Test func `a shutdown waits for the commands that are under way`() async throws {
        let record = Record()
        let started = Gate()
        let gate = Gate()
        let plugin = commanding { _, _, reply in
            started.admit()
            try? gate.wait()
            record.add("replied \(reply.json(1))")
        }
        plugin.onStop = {
            record.add("stop")
            gate.open()
        }
        let kernel = try makeKernel([plugin])

        async let result = kernel.command("box", "show")
        try await started.opened()
        await kernel.shutDown()
        record.add("shut down")
        _ = try await result

        #expect(record.lines == ["stop", "replied true", "shut down"])
    }

    @Test func `a shutdown gives up a command that never returns, and leaves its plugin as it is`() async throws {
        let (started, freed) = (Gate(), Gate())
        let lines = Record()
        let plugin = commanding { _, _, _ in
            started.admit()
            try? freed.wait()
        }
        let kernel = try makeKernel([plugin], log: KernelLog(level: .error) { _, _, text in lines.add(text) })

        let task = Task { try await kernel.command("box", "show") }
        try await started.opened()
        await kernel.shutDown(within: .zero)
        freed.open()

        #expect(lines.lines.count == 1 && lines.lines.first?.contains("one of its commands has not returned") == true)
        let error = await #expect(throws: PlugboardError.self) { try await task.value }
        #expect(error?.code == .shutDown)
    }

    @Test func `commands that block keep no requests waiting`() async throws {
        let gate = Gate()
        let plugin = commanding { _, _, reply in
            try? gate.wait()
            reply.json(1)
        }
        let kernel = try makeKernel([plugin])

        let commands = (0..<8).map { _ in Task { try await kernel.command("box", "show") } }
        let status = try await kernel.send(Request(.get, anywhere)).status
        gate.open()
        for command in commands { _ = try await command.value }

        #expect(status == 200)
    }

    @Test func `an unknown command or plugin is an error that lists the known ones`() async throws {
        let kernel = try makeKernel([commanding { _, _, reply in reply.json(nil) }])

        let command = await #expect(throws: PlugboardError.self) { try await kernel.command("box", "open") }
        let plugin = await #expect(throws: PlugboardError.self) { try await kernel.command("chest", "open") }

        #expect(command?.reason.contains("show") == true)
        #expect(plugin?.code == "command.unknown")
    }

    @Test func `forgetting asks every plugin that remembers`() async throws {
        let record = Record()
        let kernel = try makeKernel([
            commanding { name, _, reply in
                record.add(name)
                reply.json(nil)
            }
        ])

        try await kernel.forget()

        #expect(record.lines == ["forget"])
    }

    @Test func `timers fire on the kernel's clock, once, unless they are cancelled`() async throws {
        let clock = ManualClock()
        let record = Record()
        let fired = Gate()
        let plugin = ScriptedPlugin("box")
        plugin.onRequest = { [unowned plugin] _ in
            let cancelled = plugin.host?.schedule(after: .seconds(1)) { record.add("cancelled") }
            plugin.host?.schedule(after: .seconds(2)) {
                record.add("fired")
                fired.admit()
            }
            record.add("\(cancelled?.cancel() ?? false)")
            return .next
        }
        let kernel = try makeKernel([plugin], clock: clock)

        _ = try await kernel.send(Request(.get, anywhere))
        _ = try await kernel.send(Request(.get, anywhere)).body.text()
        clock.advance(by: .seconds(3))
        try await fired.opened(for: 2)

        #expect(record.lines == ["true", "true", "fired", "fired"])
    }

    @Test func `counters count, and the same name is the same counter`() async throws {
        let plugin = ScriptedPlugin("box")
        plugin.onRequest = { [unowned plugin] _ in
            plugin.host?.counter("requests").add()
            plugin.host?.counter("requests").add(2)
            return .next
        }
        let kernel = try makeKernel([plugin])

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(kernel.counters == ["box.requests": 3])
    }

    @Test func `each plugin has a data directory of its own that other users cannot read`() throws {
        let folder = try TemporaryFolder("data")
        defer { folder.remove() }
        let plugin = ScriptedPlugin("box")
        let kernel = try makeKernel([plugin]) { $0.kernel.dataDirectory = folder.path + "/deep/down" }

        let path = plugin.host?.dataDirectory

        #expect(path == folder.path + "/deep/down/box")
        #expect(try ProcessRunner.output(of: ["stat", "-c", "%a", path ?? ""]).contains("700"))
        _ = kernel
    }

    @Test func `an attribute that a plugin's table does not list is an error that names the nearest`() async throws {
        let plugin = ScriptedPlugin("box")
        plugin.attributes = [AttributeKey<Int>("box", "limit", "How many.", in: 0...9).definition]
        let kernel = try makeKernel([plugin])

        let unknown = try await failure(of: kernel, Request(.get, anywhere, attributes: ["box.limt": "3"]))
        let outside = try await failure(of: kernel, Request(.get, anywhere, attributes: ["box.limit": "10"]))

        #expect(unknown.code == .requestOption)
        #expect(unknown.reason.contains("limit"))
        #expect(outside.reason.contains("between 0 and 9"))
    }

    @Test func `attributes of an origin hold for its requests that say nothing`() async throws {
        let record = Record()
        let key = AttributeKey<Int>("box", "limit", "How many.")
        let plugin = ScriptedPlugin("box")
        plugin.attributes = [key.definition]
        plugin.onRequest = { exchange in
            record.add("\(exchange[key] ?? -1)")
            return .next
        }
        let kernel = try makeKernel([plugin]) {
            $0.origins = ["http://origin.test": ["box.limit": "5"]]
        }

        _ = try await kernel.send(Request(.get, "http://origin.test/x"))
        _ = try await kernel.send(Request(.get, "http://origin.test/x", attributes: ["box.limit": "6"]))
        _ = try await kernel.send(Request(.get, "http://other.test/x"))

        #expect(record.lines == ["5", "6", "-1"])
    }
}
