import Plugboard
import PlugboardEventLoop
import PlugboardLimit
import PlugboardStore
import TestSupport
import Testing

/// Kernels that share their rates by a store, as several machines do.
struct LimitFleetTests {
    private let engine = FleetEngine()
    private let clock = ManualClock()

    private func scene(
        _ linkage: Linkage, _ rules: JSONObject, settings: JSONObject = [:], _ store: PluginEntry? = nil, loops: Int = 1
    ) throws -> LimitScene {
        var settings = settings
        settings["shared"] = true
        return try LimitScene(
            linkage, rules, settings: settings, beside: [store ?? engine.entry], loops: loops, clock: clock)
    }

    /// Sends by each scene in turn until all refuse, and returns how many were sent.
    private func sendAll(_ scenes: [LimitScene]) async throws -> Int {
        var (sent, open) = (0, scenes)
        while let scene = open.first, sent < 100 {
            open.removeFirst()
            do throws(PlugboardError) {
                try await send(scene)
                sent += 1
                open.append(scene)
            } catch {
                if error.code != .limitExceeded { throw error }
            }
        }
        return sent
    }

    /// Sends a request. If the store has no room for it, lets the time pass for which it waits nevertheless.
    private func send(_ scene: LimitScene) async throws(PlugboardError) {
        let handle = scene.begin()
        let waiting = Task {
            while !Task.isCancelled {
                await Task.yield()
                guard scene.metric("waiting", "https://api.test") == 1 else { continue }
                if engine.keys.isEmpty {
                    // The store of the fixture replies by its loop.
                    for _ in 0..<20 { _ = try? await scene.kernel.limit.list() }
                } else if !engine.foundNone {
                    continue
                }
                return clock.advance(by: .milliseconds(100))
            }
        }
        defer { waiting.cancel() }
        _ = try await handle.response
    }

    @Test(arguments: Linkage.allCases)
    func `kernels that share a store have the rate together, and again when its time is over`(linkage: Linkage)
        async throws
    {
        // Loaded, the plugin has its service from another file.
        let store = linkage == .linked ? engine.entry : PluginEntry(id: nil, path: try FixturePlugin.build("store"))
        let scenes = try (0..<3).map { _ in
            try scene(linkage, ["https://api.test": "7/m"], settings: ["wait": "0s"], store)
        }

        let first = try await sendAll(scenes)
        clock.advance(by: .seconds(62))
        let second = try await sendAll(scenes)

        #expect(first == 7 && second == 7)
        for scene in scenes { await scene.kernel.shutDown() }
    }

    @Test(arguments: Linkage.allCases)
    func `several loops take the portions of a kernel together`(linkage: Linkage) async throws {
        let scene = try scene(linkage, ["https://api.test": "40/h"], loops: 3)
        let handles = (0..<60).map { _ in scene.begin() }

        let sent = await withTaskGroup(of: Bool.self) { group in
            for handle in handles { group.addTask { await (try? handle.response) != nil } }
            var sent = 0
            for await isSent in group where isSent {
                sent += 1
                if sent == 40 { for handle in handles { handle.cancel() } }
            }
            return sent
        }

        #expect(sent == 40 && scene.sent.count == 40)
        await scene.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a rate of many portions is found though few of them are read at first`(linkage: Linkage) async throws {
        let scene = try scene(linkage, ["https://api.test": "70/h"])

        for _ in 0..<70 { try await scene.send() }

        #expect(scene.sent.count == 70)
        await scene.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `what a kernel has at hand goes back when it shuts down`(linkage: Linkage) async throws {
        let scenes = try (0..<2).map { _ in
            try scene(linkage, ["https://api.test": "3/h"], settings: ["wait": "0s"])
        }
        try await scenes[0].send()
        // Another portion is taken ahead of a request.
        var asked = 0
        while asked < 10_000, try await scenes[0].kernel.limit.list().first?.left != ["3/h": 1] { asked += 1 }
        await scenes[0].kernel.shutDown()
        clock.advance(by: .milliseconds(1))

        let sent = try await sendAll([scenes[1]])

        #expect(sent == 2)
        await scenes[1].kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `what is being taken goes back when a kernel shuts down`(linkage: Linkage) async throws {
        let scenes = try (0..<2).map { _ in
            try scene(linkage, ["https://api.test": "3/h"], settings: ["wait": "0s"])
        }
        engine.behaviour = .hidesWrites
        let pending = scenes[0].begin()
        try await engine.asked.opened(for: 2)
        engine.behaviour = .works
        pending.cancel()
        await scenes[0].kernel.shutDown()
        clock.advance(by: .milliseconds(1))

        let sent = try await sendAll([scenes[1]])

        #expect(sent == 3 && scenes[0].log.lines.isEmpty)
        await scenes[1].kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a store that does not respond holds a request for 50 ms, and the others not at all`(linkage: Linkage)
        async throws
    {
        let scene = try scene(linkage, ["https://api.test": "9/m"])
        engine.behaviour = .isSilent

        let first = scene.begin()
        try await engine.asked.opened()
        let before = scene.sent.count
        clock.advance(by: .milliseconds(50))
        let status = try await first.response.status
        let second = try await scene.send()

        #expect(before == 0 && status == 200 && second == 200)
        #expect(scene.alone == 1 && scene.log.lines.count == 1)
        #expect(scene.log.lines.first?.contains("this process keeps the rates of limit for itself alone") == true)
        await scene.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases, [StoreFailure.Kind.down, .invalid, .late])
    func `while the store fails each kernel acts alone, and shares the rate again when it responds`(
        linkage: Linkage, kind: StoreFailure.Kind
    ) async throws {
        let scenes = try (0..<2).map { _ in
            try scene(linkage, ["https://api.test": "2/m"], settings: ["wait": "0s"])
        }
        engine.behaviour = .fails(kind)

        let alone = [try await sendAll([scenes[0]]), try await sendAll([scenes[1]])]
        engine.behaviour = .works
        clock.advance(by: .seconds(62))
        for scene in scenes {
            try await scene.send()
            try await scene.logged.opened(for: 2)
        }
        clock.advance(by: .seconds(62))
        let shared = try await sendAll(scenes)

        #expect(alone == [2, 2] && shared == 2)
        #expect(scenes[0].alone == 1 && scenes[0].log.lines.last?.contains("responds again") == true)
        for scene in scenes { await scene.kernel.shutDown() }
    }

    @Test(arguments: Linkage.allCases)
    func `what is taken without a reply goes back before the store is asked again`(linkage: Linkage) async throws {
        let scenes = try (0..<2).map { _ in
            try scene(linkage, ["https://api.test": "4/h"], settings: ["wait": "0s"])
        }
        engine.behaviour = .hidesWrites
        let first = scenes[0].begin()
        try await engine.asked.opened(for: 2)
        clock.advance(by: .milliseconds(50))
        _ = try await first.response

        engine.behaviour = .works
        clock.advance(by: .seconds(2))
        try await scenes[0].send()
        try await scenes[0].logged.opened(for: 2)
        await scenes[0].kernel.shutDown()
        clock.advance(by: .seconds(1))
        let sent = try await sendAll([scenes[1]])

        #expect(sent == 4)
        await scenes[1].kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `without a store the process acts alone, and says so`(linkage: Linkage) async throws {
        let scene = try LimitScene(
            linkage, ["https://api.test": "2/m"], settings: ["wait": "0s", "shared": true], clock: clock)

        #expect(try await sendAll([scene]) == 2)
        #expect(scene.log.lines.first?.contains("needs a plugin that provides plugboard.store/1") == true)
        await scene.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a rate that is not shared does not ask the store`(linkage: Linkage) async throws {
        let scene = try LimitScene(linkage, ["https://api.test": "2/m"], beside: [engine.entry], clock: clock)

        try await scene.send()

        #expect(engine.keys.isEmpty && scene.log.lines.isEmpty)
        await scene.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `keys of the store are hashes, and the same in all processes`(linkage: Linkage) async throws {
        let scenes = try (0..<2).map { _ in try scene(linkage, ["*": "1/h, by field Authorization"]) }

        try await scenes[0].send(Request(.get, LimitScene.anywhere, fields: ["Authorization": "Bearer secret"]))
        let own = Set(engine.keys)
        let waiting = scenes[1].begin(Request(.get, LimitScene.anywhere, fields: ["Authorization": "Bearer secret"]))
        try await scenes[1].waiting.opened()
        waiting.cancel()

        #expect(own.count == 1 && Set(engine.keys) == own)
        #expect(own.allSatisfy { $0.hasPrefix("limit/1/") && !$0.contains("secret") && $0.utf8.count <= 76 })
        for scene in scenes { await scene.kernel.shutDown() }
    }
}

extension LimitScene {
    /// How often the store has failed.
    fileprivate var alone: Int64? { kernel.metrics.first { $0.name == "limit.alone" }?.value }
}
