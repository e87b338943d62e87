import Plugboard
import PlugboardEventLoop
import PlugboardStore
import PlugboardTransport
import TestSupport
import Testing

/// Kernels that share their tokens by a store, as several machines do.
struct FleetTokenTests {
    private let engine = FleetEngine()
    private let folder: TemporaryFolder
    /// The tokens that the API rejects.
    private let rejected = Locked<Set<String>>([])
    /// Called with the number of a request for a token, counted from 1.
    private let fetching = Locked<@Sendable (Int) -> Void>({ _ in })
    private let transport: MockTransport

    init() throws {
        folder = try TemporaryFolder("fleet")
        let count = Locked(0)
        transport = MockTransport { [rejected, fetching] request, _ in
            guard request.url.hasPrefix("http://login.test/") else {
                let isRejected = rejected.withLock { $0.contains(request.fields[.authorization] ?? "") }
                return isRejected ? .respond(401, ["WWW-Authenticate": "Bearer"]) : .respond(200)
            }
            let number = count.withLock { count in
                count += 1
                return count
            }
            fetching.withLock { $0 }(number)
            return .respond(200, Fields(), [Setup.token("t\(number)", lifetime: 60, refreshToken: "r\(number)")])
        }
    }

    private func kernel(
        _ linkage: Linkage, key: Character = "k", _ section: [String: String] = [:], clock: ManualClock? = nil
    ) throws -> Kernel {
        let client = Setup.client(of: "http://login.test/token").merging(section) { $1 }
        return try Setup.kernel(
            linkage, transport, origins: ["http://a.test": client], settings: try settings(key),
            also: [engine.entry], clock: clock)
    }

    private func settings(_ key: Character = "k") throws -> JSONObject {
        let path = try folder.write("key-\(key)", Array(String(repeating: key, count: 32).utf8) + [0x0A])
        return ["fleetKeyFile": .string(path)]
    }

    private func send(_ kernels: [Kernel]) async throws {
        for kernel in kernels { _ = try await kernel.send(Request(.get, "http://a.test/")) }
    }

    private func end(_ kernels: [Kernel]) async { for kernel in kernels { await kernel.shutDown() } }

    private var fetches: Int { transport.requests.filter { $0.url == "http://login.test/token" }.count }
    private var sent: [String] { transport.credentials(to: "a.test") }

    private func store(_ kernel: Kernel) throws -> Store {
        guard let table = kernel.service(Store.id) else { throw ProductError.missing(Store.id) }
        return Store(table.assumingMemoryBound(to: plug_store_v1.self))
    }

    @Test(arguments: Linkage.allCases)
    func `kernels that share a store fetch one token together`(linkage: Linkage) async throws {
        let kernels = try (0..<4).map { _ in try kernel(linkage) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for kernel in kernels { group.addTask { try await send([kernel]) } }
            try await group.waitForAll()
        }

        #expect(fetches == 1 && sent == Array(repeating: "Bearer t1", count: 4))
        #expect(kernels.map { $0.counters["authentication.shared"] ?? 0 }.reduce(0, +) == 3)
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `a token that is over is fetched again once`(linkage: Linkage) async throws {
        let clock = ManualClock()
        let kernels = try (0..<3).map { _ in try kernel(linkage, clock: clock) }

        try await send(kernels)
        clock.advance(by: .seconds(61))
        try await send(kernels)

        #expect(fetches == 2 && sent.suffix(3) == ["Bearer t2", "Bearer t2", "Bearer t2"])
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `a token is found only as long as it is valid for half of its time`(linkage: Linkage) async throws {
        let clock = ManualClock()
        let kernels = try (0..<2).map { _ in try kernel(linkage, clock: clock) }

        try await send([kernels[0]])
        clock.advance(by: .seconds(31))
        try await send([kernels[1]])

        #expect(sent == ["Bearer t1", "Bearer t2"])
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `a token that a server rejects is replaced once, for all kernels`(linkage: Linkage) async throws {
        let kernels = try (0..<3).map { _ in try kernel(linkage) }
        try await send(kernels)

        rejected.withLock { $0 = ["Bearer t1"] }
        try await send(kernels)

        #expect(fetches == 2 && sent.filter { $0 == "Bearer t2" }.count == 3)
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `the command refresh fetches a token for all kernels`(linkage: Linkage) async throws {
        let kernels = try (0..<2).map { _ in try kernel(linkage) }
        try await send([kernels[0]])

        try await kernels[0].authentication.refresh()
        try await send([kernels[1]])

        #expect(fetches == 2 && sent == ["Bearer t1", "Bearer t2"])
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `kernels with another key, client or trust share nothing`(linkage: Linkage) async throws {
        let kernels = try [
            kernel(linkage), kernel(linkage, key: "l"), kernel(linkage, ["clientSecret": "another"]),
            kernel(linkage, ["scope": "write"]), kernel(linkage, ["refreshToken": "own"]),
        ]
        try await send(kernels)
        var request = Request(.get, "http://a.test/")
        request.options.unixSocket = "/run/a.sock"
        _ = try await kernels[0].send(request)

        #expect(fetches == 6 && Set(sent).count == 6)
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `damaged values are as none`(linkage: Linkage) async throws {
        let kernels = try (0..<2).map { _ in try kernel(linkage) }
        try await send([kernels[0]])
        let keys = Set(engine.keys)
        for junk in [[], [0], Array(repeating: 7, count: 100)] as [[UInt8]] {
            let entries = keys.map { StoreEntry($0, Bytes(junk), timeToLive: .seconds(60)) }
            try await store(kernels[0]).perform(.put(entries), within: .seconds(10))
            let kernel = try kernel(linkage)
            try await send([kernel])
            await kernel.shutDown()
        }

        #expect(sent == ["Bearer t1", "Bearer t2", "Bearer t3", "Bearer t4"])
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `no key and no value in the store shows a secret`(linkage: Linkage) async throws {
        let kernels = try (0..<2).map { _ in try kernel(linkage, ["refreshToken": "own"]) }
        // What the second one finds is in the store.
        try await send(kernels)
        let keys = Array(Set(engine.keys))

        let values = try await store(kernels[0]).perform(.get(keys), within: .seconds(10)).values.compactMap(\.self)

        let texts = values.map { String(decoding: $0.array, as: UTF8.self) } + keys
        #expect(values.count == 3)
        for secret in ["t1", "own", "client", "login.test"] { #expect(!texts.contains { $0.contains(secret) }) }
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `a kernel uses the refresh token by which another one's was replaced`(linkage: Linkage) async throws {
        let (api, count) = (try LoopbackServer.responding { _ in ServerResponse() }, Locked(0))
        let endpoint = try LoopbackServer.responding { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return ServerResponse(body: Setup.token("t\(number)", refreshToken: "r\(number)"))
        }
        defer {
            api.stop()
            endpoint.stop()
        }
        // A file may have any of them by the time when a kernel starts.
        let kernels = try ["r0", "r0", "r2"].map {
            try Setup.kernel(
                linkage,
                origins: [
                    String(api.url().dropLast()): [
                        "scheme": "oauth", "tokenURL": endpoint.url("/token"), "refreshToken": $0,
                    ]
                ], settings: settings(), also: [engine.entry])
        }
        for kernel in kernels {
            _ = try await kernel.send(Request(.get, api.url()))
            try await kernel.authentication.refresh()
        }

        let sent = endpoint.requests.flatMap { $0.text.split(separator: "&") }
            .filter { $0.hasPrefix("refresh_token=") }
        #expect(sent == ["refresh_token=r0", "refresh_token=r1", "refresh_token=r2", "refresh_token=r3"])
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases, [0, 1])
    func `in an outage each kernel fetches for itself, also where it begins while one fetches`(
        linkage: Linkage, number: Int
    ) async throws {
        let kernels = try (0..<2).map { _ in try kernel(linkage) }
        if number == 0 { engine.behaviour = .fails(.down) }
        fetching.withLock { $0 = { [engine] _ in engine.behaviour = .fails(.down) } }

        try await send(kernels)

        #expect(fetches == 2 && sent == ["Bearer t1", "Bearer t2"])
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `of the kernels that wait for one that dies while it fetches, one fetches soon`(
        linkage: Linkage
    ) async throws {
        let clock = ManualClock()
        let kernels = try (0..<2).map { _ in try kernel(linkage, clock: clock) }
        let silent = MockTransport { _, _ in .silence }
        let dying = try Setup.kernel(
            linkage, silent, origins: ["http://a.test": Setup.client(of: "http://login.test/token")],
            settings: settings(), also: [engine.entry], clock: clock)
        let request = dying.begin(Request(.get, "http://a.test/"))
        try await silent.began.opened()
        engine.kill(2)
        let since = clock.now

        let ended = Gate()
        for kernel in kernels {
            Task {
                _ = try? await kernel.send(Request(.get, "http://a.test/"))
                ended.admit()
            }
        }
        let deadline = ContinuousClock.now + Gate.patience
        while ended.admitted < 2, ContinuousClock.now < deadline {
            // Requests go on with the replies before more time passes.
            for kernel in kernels {
                for _ in 0..<5 { _ = try await store(kernel).perform(.get(["settled"]), within: .seconds(3600)) }
            }
            clock.advance(by: .milliseconds(100))
        }

        #expect(sent == ["Bearer t1", "Bearer t1"] && fetches == 1)
        #expect(clock.now - since < 10_000_000_000)
        request.cancel()
        await end(kernels)
    }

    @Test(arguments: Linkage.allCases)
    func `a fetch that fails lets the next kernel fetch`(linkage: Linkage) async throws {
        let kernel = try kernel(linkage)
        let failing = try Setup.kernel(
            linkage, MockTransport { _, _ in .respond(500) },
            origins: ["http://a.test": Setup.client(of: "http://login.test/token")],
            settings: settings(), also: [engine.entry])

        let another = try self.kernel(linkage)
        let failure = try await Setup.failure(of: failing, Request(.get, "http://a.test/"))
        // Had the second kernel waited in vain for the first one's lock, it would fetch for itself alone.
        try await send([kernel, another])

        #expect(failure.code == .authenticationRefresh && sent == ["Bearer t1", "Bearer t1"])
        await end([kernel, another, failing])
    }

    @Test(arguments: Linkage.allCases)
    func `a key that is too short is refused at the start, and not printed`(linkage: Linkage) throws {
        let path = try folder.write("short", Array("a-short-key".utf8))

        let error = #expect(throws: PlugboardError.self) {
            try Setup.kernel(linkage, transport, settings: ["fleetKeyFile": .string(path)])
        }

        #expect(error?.reason.contains("32") == true && error?.reason.contains("a-short-key") == false)
    }
}
