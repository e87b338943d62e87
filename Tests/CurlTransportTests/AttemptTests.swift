import PlugboardCurl
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

@Suite struct AttemptTests {
    @Test func `a cancelled attempt ends at once, without other reports`() async throws {
        let server = try LoopbackServer(.silenceBeforeHead())
        let client = Client()
        defer { server.stop() }

        let (attempt, record) = await client.begin(.get, server.url())
        _ = try await server.requests(atLeast: 1)
        await client.onLoop { attempt.cancel() }
        try await record.end.opened()

        #expect(record.notes == [.ended(.cancelled)])
        try await server.endedConnections(atLeast: 1)
    }

    @Test func `many attempts that are cancelled together end in portions, between which the loop does other work`()
        async throws
    {
        let server = try LoopbackServer(.silenceBeforeHead())
        let client = Client()
        defer { server.stop() }
        var attempts: [(attempt: any Attempt, record: AttemptRecord)] = []
        for _ in 0..<100 { attempts.append(await client.begin(.get, server.url())) }
        _ = try await server.requests(atLeast: 100)

        let begun = attempts
        let ended = Mutex(0)
        await client.onLoop {
            for (attempt, _) in begun { attempt.cancel() }
            client.loop.enqueue { ended.withLock { $0 = begun.count { !$0.record.notes.isEmpty } } }
        }
        for (_, record) in attempts { try await record.end.opened() }

        #expect((1..<100).contains(ended.withLock { $0 }))
    }

    @Test func `an attempt cancelled in its body breaks the body`() async throws {
        let server = try LoopbackServer(.silenceInBody(declared: 100, sent: 10))
        let client = Client()
        defer { server.stop() }

        let (attempt, record) = await client.begin(.get, server.url())
        try await record.headOrEnd.opened()
        await client.onLoop { attempt.cancel() }
        let outcome = try await client.finish(record)

        #expect(outcome.error?.code == .cancelled)
        #expect(record.notes == [.head(200), .ended(.cancelled)])
    }

    @Test func `an attempt may be cancelled in the moment it begins`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let client = Client()
        let record = AttemptRecord()
        defer { server.stop() }

        await client.onLoop {
            let request = AttemptRequest(
                method: .get, url: server.url(), fields: Fields(), options: RequestOptions())
            client.transport.perform(request, observer: record, loop: client.loop).cancel()
        }
        try await record.end.opened()

        #expect(record.notes == [.ended(.cancelled)])
    }

    @Test func `a suspended attempt reports nothing until it is resumed`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "waited") }
        let client = Client()
        defer { server.stop() }

        let (attempt, record) = await client.begin(.get, server.url())
        await client.onLoop { attempt.suspend() }
        let before = record.notes
        _ = try await server.requests(atLeast: before.isEmpty ? 0 : 1)
        for _ in 0..<50 { await client.onLoop {} }
        #expect(record.notes == before)
        await client.onLoop { attempt.resume() }
        let outcome = try await client.finish(record)

        #expect(outcome.text == "waited")
    }

    @Test func `a suspended attempt can be cancelled, and its body released`() async throws {
        let server = try LoopbackServer(.silenceInBody(declared: 10_000_000, sent: 10))
        let client = Client()
        defer { server.stop() }

        let (first, cancelled) = await client.begin(.get, server.url())
        let (second, released) = await client.begin(.get, server.url())
        try await cancelled.headOrEnd.opened()
        try await released.headOrEnd.opened()
        await client.onLoop {
            first.suspend()
            first.cancel()
            second.suspend()
            released.state.withLock { $0.body }?.release()
            second.resume()
        }
        try await cancelled.end.opened()
        try await released.end.opened()

        #expect(cancelled.notes == [.head(200), .ended(.cancelled)])
        #expect(released.notes == [.head(200), .ended(nil)])
    }

    @Test func `timings tell a new connection from one that is used again`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "x") }
        let client = Client()
        defer { server.stop() }

        let first = try await client.send(.get, server.url())
        let second = try await client.send(.get, server.url())

        let (new, used) = (first.record.state.withLock { $0.timings }, second.record.state.withLock { $0.timings })
        #expect(new.connect > .zero && new.firstByte >= new.connect && new.total >= new.firstByte)
        #expect(used.connect == .zero && used.nameLookup == .zero && used.total > .zero)
    }

    @Test func `the time of the first byte is that of the response, not of the request's body`() async throws {
        let (received, gate) = (Gate(), Gate())
        let server = try LoopbackServer { connection in
            guard let request = try? connection.readRequest() else { return }
            received.admit()
            try connection.wait(for: gate)
            try connection.respond(ServerResponse(), to: request)
        }
        let (client, clock) = (Client(), ContinuousClock())
        defer { server.stop() }

        let (_, record) = await client.begin(.post, server.url(), body: .text("hello"), isWatched: true)
        try await received.opened()
        let start = clock.now
        for _ in 1...500 { await client.onLoop {} }
        let waited = clock.now - start
        gate.open()
        _ = try await client.finish(record)

        #expect(record.state.withLock { $0.timings }.firstByte >= waited)
    }

    @Test func `milestones and progress are reported only if the attempt is watched`() async throws {
        let server = try NginxServer.shared()
        let client = Client()
        var options = RequestOptions()
        options.tls.ca = server.authority.certificate

        let watched = try await client.send(.get, server.url("/data.bin", .tlsHTTP1), options: options, isWatched: true)
        let again = try await client.send(.get, server.url("/data.bin", .tlsHTTP1), options: options, isWatched: true)
        let unwatched = try await client.send(.get, server.url("/data.bin", .tlsHTTP1), options: options)

        let milestones: [AttemptRecord.Note] = [
            .reached(.resolved), .reached(.connected), .reached(.secured), .reached(.sent), .reached(.firstByte),
            .head(200),
        ]
        #expect(Array(watched.record.notes.prefix(6)) == milestones)
        #expect(Array(again.record.notes.prefix(3)) == Array(milestones.suffix(3)))
        var whole = TransferProgress()
        (whole.toSend, whole.received, whole.toReceive) = (0, 1_048_576, 1_048_576)
        #expect(watched.record.notes.suffix(2) == [.progress(whole), .ended(nil)])
        #expect(unwatched.record.notes == [.head(200), .ended(nil)])
    }

    @Test func `connections are kept, however many there were at once`() async throws {
        var settings = CurlTransportSettings()
        settings.idleConnections = 1
        let gate = Gate()
        let server = try LoopbackServer { connection in
            while let request = try? connection.readRequest() {
                try connection.wait(for: gate)
                try connection.respond(ServerResponse(body: "x"), to: request)
            }
        }
        let client = Client(settings)
        defer { server.stop() }

        for _ in 0..<2 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await client.send(.get, server.url()) } }
                if gate.admitted == 0 { _ = try await server.requests(atLeast: 20) }
                gate.open()
                try await group.waitForAll()
            }
        }

        #expect(server.connectionCount == 20)
    }

    @Test func `forgetting drops idle connections and lets busy ones end`() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            while let request = try? connection.readRequest() {
                if request.target == "/slow" { try connection.wait(for: gate) }
                try connection.respond(ServerResponse(body: request.target), to: request)
            }
        }
        let client = Client()
        defer { server.stop() }

        let (_, slow) = await client.begin(.get, server.url("/slow"))
        _ = try await server.requests(atLeast: 1)
        _ = try await client.send(.get, server.url("/idle"))
        await client.onLoop { client.transport.forget() }
        try await server.endedConnections(atLeast: 1)
        let new = try await client.send(.get, server.url("/new"))
        gate.open()
        let old = try await client.finish(slow)

        #expect(new.text == "/new")
        #expect(old.error == nil)
        #expect(old.text == "/slow")
        #expect(server.connectionCount == 3)
        try await server.endedConnections(atLeast: 2)
    }

    @Test func `shutting down ends all attempts and refuses new ones`() async throws {
        let silent = try LoopbackServer(.silenceBeforeHead())
        let cut = try LoopbackServer(.silenceInBody(declared: 100, sent: 10))
        let client = Client()
        defer { silent.stop() }
        defer { cut.stop() }

        var waiting: [AttemptRecord] = []
        for _ in 0..<100 { waiting.append(await client.begin(.get, silent.url()).1) }
        _ = try await silent.requests(atLeast: 100)
        let (_, reading) = await client.begin(.get, cut.url())
        try await reading.headOrEnd.opened()
        let begun = waiting
        let notes = await client.onLoop {
            client.transport.shutDown()
            return begun.map(\.notes)
        }
        let late = try await client.send(.get, silent.url())
        let body = try await client.finish(reading)

        #expect(notes == Array(repeating: [.ended(.shutDown)], count: 100))
        #expect(body.error?.code == .shutDown)
        #expect(reading.notes == [.head(200), .ended(.shutDown)])
        #expect(late.error?.code == .shutDown)
    }

    @Test func `an observer may begin, cancel and release in any report`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: Script.letters(1000)) }
        let client = Client()
        let chain = Chain(client: client, url: server.url(), left: 50)
        defer { server.stop() }

        await client.onLoop { chain.next() }
        try await chain.done.opened()

        #expect(chain.ends.withLock { $0 } == 51)
    }
}

/// Begins the next attempt in the report that ends the last, and cancels every third in the report of its head.
private final class Chain: AttemptObserver {
    let client: Client
    let url: String
    let left: Mutex<Int>
    let ends = Mutex(0)
    let done = Gate()
    private let attempt = Mutex<(any Attempt)?>(nil)

    init(client: Client, url: String, left: Int) {
        self.client = client
        self.url = url
        self.left = Mutex(left)
    }

    func next() {
        let request = AttemptRequest(method: .get, url: url, fields: Fields(), options: RequestOptions())
        let begun = client.transport.perform(request, observer: self, loop: client.loop)
        attempt.withLock { $0 = begun }
    }

    func attemptReached(_ milestone: Milestone) {}
    func attemptReceived(interim: ResponseHead) {}
    func attemptProgressed(_ progress: TransferProgress) {}

    func attemptReceived(_ head: ResponseHead, body: (any BodySource)?) {
        if left.withLock({ $0 }) % 3 == 0 { attempt.withLock { $0 }?.cancel() }
        body?.release()
    }

    func attemptEnded(_ error: PlugboardError?, _ timings: Timings) {
        ends.withLock { $0 += 1 }
        let mayGoOn = left.withLock { left in
            left -= 1
            return left >= 0
        }
        if mayGoOn { next() } else { done.admit() }
    }
}
