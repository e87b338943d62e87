import Foundation
import PlugboardStore
import PlugboardTesting
import TestSupport
import Testing

@Suite(.enabled(if: RedisProcess.isAvailable, RedisProcess.skipped))
struct RedisOutageTests {
    private let patience = Duration.seconds(20)

    @Test func `a server that does not run is an error at once`() async throws {
        let folder = try TemporaryFolder()
        let scene = try RedisScene("unix://\(folder.path)/none.sock")

        try await scene.contract.checkOutage(patience: patience)

        let reason = await scene.failure(of: .get(["a"]))?.reason
        #expect(reason?.contains("is out: No such file or directory") == true, "\(reason ?? "")")
        await scene.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a server that is stopped in the middle is late, then down, and works again when it continues`(
        linkage: Linkage
    ) async throws {
        let server = try await RedisProcess()
        let scene = try RedisScene(server.url, linkage, settings: ["silence": "500ms"])
        try await scene.put(["a": "before"])

        server.signal(SIGSTOP)
        try await scene.contract.checkOutage(patience: patience)
        let reason = await scene.failure(of: .get(["a"]))?.reason
        server.signal(SIGCONT)
        try await scene.works()

        #expect(reason?.contains("500ms") == true, "\(reason ?? "")")
        #expect(try await scene.texts("a") == ["before"])
        await scene.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a server that restarts is down meanwhile, and those who have read keys are told`(linkage: Linkage)
        async throws
    {
        let server = try await RedisProcess()
        let scene = try RedisScene(server.url, linkage)
        let (told, gate) = (Record(), Gate())
        let watch = scene.store.watch {
            told.add($0 ?? "any")
            gate.admit()
        }
        try await scene.put(["a": "before"])
        try await scene.perform(.get(["a"], watch: watch))

        server.kill()
        try await gate.opened()
        let failure = await scene.failure(of: .get(["a"]))
        try await server.start()
        try await scene.works()

        #expect(failure?.kind == .down && told.lines == ["any"])
        #expect(try await scene.texts("a") == [nil])
        #expect(scene.log.lines.contains { $0.contains("Calls fail at once") })
        #expect(scene.log.lines.contains { $0.contains("responds again") })
        #expect(scene.kernel.metrics.first { $0.name == "redis.outages" }?.value == 1)
        // Both connections are new, and the second one tells of changes again.
        try await scene.perform(.get(["a"], watch: watch))
        try await scene.put(["a": "after"])
        try await gate.opened(for: 2)
        #expect(told.lines == ["any", "a"])
        await scene.kernel.shutDown()
    }

    @Test func `commands under way end when the server is killed`() async throws {
        let server = try await RedisProcess()
        let scene = try RedisScene(server.url)
        try await scene.works()
        server.signal(SIGSTOP)

        async let kinds = withTaskGroup(of: StoreFailure.Kind?.self) { group in
            for number in 0..<100 { group.addTask { await scene.failure(of: .get(["\(number)"]))?.kind } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        try await Task.sleep(for: .milliseconds(100))
        server.kill()

        #expect(await kinds == [.down])
        await scene.kernel.shutDown()
    }

    @Test func `a full server writes nothing, and reads on`() async throws {
        let server = try await RedisProcess("--maxmemory-policy", "noeviction")
        let scene = try RedisScene(server.url)
        try await scene.put(["a": "x"])
        try await scene.perform(.add("n", 1, timeToLive: .seconds(60)))
        try await server.command("CONFIG", "SET", "maxmemory", "1")

        let writes: [StoreCommand] = [
            .put([StoreEntry("b", "x")]), .put([StoreEntry("b", "x"), StoreEntry("c", "x")]),
            .add("n", 1, timeToLive: .seconds(60)), .add("m", 1, timeToLive: .seconds(60)),
            .compareAndSet(StoreEntry("a", "y"), expected: Bytes(Array("x".utf8))),
            .takeLock("l", timeToLive: .seconds(60)),
        ]
        for command in writes {
            let failure = await scene.failure(of: command)
            #expect(failure?.kind == .down && failure?.reason.contains("OOM") == true, "\(command): \(failure as Any)")
        }
        #expect(try await scene.texts("a", "b", "c", "n", "m") == ["x", nil, nil, "1", nil])
        try await scene.perform(.remove(["a"]))
        try await server.command("CONFIG", "SET", "maxmemory", "0")
        try await scene.put(["a": "z"])
        try await scene.perform(.takeLock("l", timeToLive: .seconds(60)))
        #expect(try await scene.texts("a", "n") == ["z", "1"])
        await scene.kernel.shutDown()
    }

    @Test func `scripts that the server has lost are sent again`() async throws {
        let server = try await RedisProcess()
        let scene = try RedisScene(server.url)
        try await scene.perform(.add("n", 1, timeToLive: .seconds(60)))
        try await server.command("SCRIPT", "FLUSH")

        let number = try await scene.perform(.add("n", 1, timeToLive: .seconds(60))).number
        try await scene.perform(.takeLock("l", timeToLive: .seconds(60)))

        #expect(number == 2)
        await scene.kernel.shutDown()
    }

    @Test func `commands after one whose script is lost keep their order`() async throws {
        let server = try await RedisProcess()
        let scene = try RedisScene(server.url)
        try await scene.works()
        for round in 0..<20 {
            try await server.command("SCRIPT", "FLUSH")
            let key = "n\(round)"
            let done = Locked<[StoreReply?]>([])
            let gate = Gate()
            // The number would be 1 if it were counted after it was put.
            for command in [.add(key, 1, timeToLive: .seconds(60)), .put([StoreEntry(key, "100")])] as [StoreCommand] {
                scene.store.perform(command, within: .seconds(20)) { result in
                    done.withLock { $0.append(try? result.get()) }
                    gate.admit()
                }
            }
            try await gate.opened(for: 2)

            #expect(try await scene.texts(key) == ["100"])
        }
        await scene.kernel.shutDown()
    }

    @Test func `what was sent before the kernel shuts down is carried out`() async throws {
        let server = try await RedisProcess()
        let scene = try RedisScene(server.url)
        try await scene.put(["a": "x"])

        let puts = (0..<200).map { StoreCommand.put([StoreEntry("k\($0)", "x")]) }
        for command in puts + [.remove(["a"])] { scene.store.perform(command, within: .seconds(20)) { _ in } }
        await scene.kernel.shutDown()

        #expect(try await server.command("DBSIZE").contains("200"))
    }
}
