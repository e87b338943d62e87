import Plugboard
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization
import TestSupport
import Testing

/// Where rules meet each other.
@Suite struct `Corners of the rules` {
    @Test func `a plugin without onRequest sees the response of a plugin further in`() async throws {
        let record = Record()
        let between = recorder("between", priority: 2, record)
        between.onRequest = nil
        let responding = ScriptedPlugin("responding", priority: 3)
        responding.onRequest = { _ in .respond(ResponseHead(status: 302)) }
        let kernel = try makeKernel([recorder("out", priority: 1, record), between, responding])

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(
            record.lines == [
                "out request", "between response 302", "out response 302", "between close ended", "out close ended",
            ])
    }

    @Test func `a plugin without a request hook that rewrites and resends leaves those further out their request`()
        async throws
    {
        let record = Record()
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onResponse = { exchange in
            record.add(exchange.request.url)
            return .next
        }
        let redirecting = ScriptedPlugin("redirecting", priority: 2)
        redirecting.onResponse = { exchange in
            guard exchange.response?.status == 302 else { return .next }
            exchange.request.url = "http://elsewhere.test/"
            return .resend()
        }
        let kernel = try makeKernel(
            [outer, redirecting], MockTransport { _, number in .respond(number == 1 ? 302 : 200) })

        let response = try await kernel.send(Request(.get, anywhere))

        #expect(record.lines == [anywhere])
        #expect(response.url == "http://elsewhere.test/")
    }

    @Test func `a hook that holds a body again that it was just given is at fault`() async throws {
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { _ in .hold(upTo: .kibibytes(1)) }
        let kernel = try makeKernel([plugin])

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .pluginFault)
    }

    @Test func `resends that never reach the network are stopped at the limit`() async throws {
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onResponse = { _ in .resend() }
        let inner = ScriptedPlugin("inner", priority: 2)
        inner.onRequest = { _ in .respond(ResponseHead(status: 503)) }
        let kernel = try makeKernel([outer, inner])

        let error = try await failure(of: kernel, Request(.get, anywhere))

        #expect(error.code == .runaway)
    }

    @Test(arguments: ["wraps", "holds", "holds too little"])
    func `a body that an inner plugin handles is sent again from its beginning`(how: String) async throws {
        let bodies = Record()
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onResponse = { $0.response?.status == 503 ? .resend() : .next }
        let inner = ScriptedPlugin("inner", priority: 2)
        inner.onRequest = { exchange in
            if how == "wraps" {
                exchange.wrapRequestBody { Passing($0) }
                return .next
            }
            return exchange.visit == .first ? .hold(upTo: .bytes(how == "holds" ? 100 : 2)) : .next
        }
        let transport = MockTransport { request, number in
            request.body?.pull(Pull(RecordingReceiver(bodies)))
            request.body?.pull(Pull(RecordingReceiver(bodies)))
            return .respond(number == 1 ? 503 : 200)
        }
        let kernel = try makeKernel([outer, inner], transport)

        let status = try await kernel.send(Request(.post, anywhere, body: .text("payload"))).status

        #expect(status == 200)
        #expect(bodies.lines == ["payload", "end", "payload", "end"])
    }

    @Test func `a request that is sent twice has its whole body both times`() async throws {
        let bodies = Record()
        let transport = MockTransport { request, _ in
            request.body?.pull(Pull(RecordingReceiver(bodies)))
            request.body?.pull(Pull(RecordingReceiver(bodies)))
            return .respond(200)
        }
        let kernel = try makeKernel([], transport)
        let folder = try TemporaryFolder("body")
        defer { folder.remove() }
        let path = try folder.write("file", Array("file".utf8))

        for request in [Request(.post, anywhere, body: .text("text")), Request(.put, anywhere, body: try .file(path))] {
            _ = try await kernel.send(request)
            _ = try await kernel.send(request)
        }

        #expect(bodies.lines == ["text", "end", "text", "end", "file", "end", "file", "end"])
    }

    @Test func `cancelling between a head without a body and the attempt's end fails the task that waits`() async throws
    {
        let received = Gate()
        let kernel = try makeKernel([], HeadOnlyTransport())

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.kernelEvent == .headReceived { received.admit() }
        }
        try await received.opened()
        handle.cancel()
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == .cancelled)
    }

    @Test func `cancelling a suspended exchange whose body is read ends the reading`() async throws {
        let suspended = Gate()
        let kernel = try makeKernel([], MockTransport { _, _ in .source(200, Fields(), SilentSource()) })

        let handle = kernel.begin(Request(.get, anywhere)) { event in
            if event.kernelEvent == .suspended { suspended.admit() }
        }
        let response = try await handle.response
        handle.suspend()
        try await suspended.opened()
        handle.cancel()
        let error = await #expect(throws: PlugboardError.self) { try await response.body.text() }

        #expect(error?.code == .cancelled)
    }

    @Test func `a ticket that another verdict overrides is stale, and keeps nothing`() async throws {
        let tickets = Mutex<[Ticket]>([])
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            let ticket = exchange.ticket()
            tickets.withLock { $0.append(ticket) }
            return .respond(ResponseHead(status: 204))
        }
        let kernel = try makeKernel([plugin])

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(tickets.withLock { $0.first }?.wake() == false)
    }

    @Test func `cancelling reaches a silent body through a plugin's source`() async throws {
        let plugin = ScriptedPlugin("a")
        plugin.onResponse = { exchange in
            exchange.wrapResponseBody { Passing($0) }
            return .next
        }
        let source = SilentSource()
        let kernel = try makeKernel([plugin], MockTransport { _, _ in .source(200, Fields(), source) })

        let handle = kernel.begin(Request(.get, anywhere))
        let response = try await handle.response
        handle.cancel()

        try await source.released.opened()
        withExtendedLifetime(response) {}
    }

    @Test func `the edits of a plugin that is skipped after a fault are undone`() async throws {
        struct Broken: Error {}
        let transport = MockTransport()
        let plugin = ScriptedPlugin("a")
        plugin.onRequest = { exchange in
            exchange.request["X-Half"] = "done"
            throw Broken()
        }
        let kernel = try makeKernel([plugin], transport) { $0.plugins[0].onFault = .skip }

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.first?.fields["X-Half"] == nil)
    }

    @Test func `onClose sees the response, or the failure`() async throws {
        let record = Record()
        let plugin = ScriptedPlugin("a")
        plugin.onClose = { exchange, outcome in
            record.add("\(outcome) \(exchange.response?.status ?? 0) \(exchange.failure?.code.name ?? "-")")
        }
        let kernel = try makeKernel(
            [plugin],
            MockTransport { request, _ in
                request.method == .get
                    ? .respond(200, Fields(), ["x"]) : .failure(PlugboardError(.transportConnect, "refused"))
            })

        _ = try await kernel.send(Request(.get, anywhere)).body.text()
        _ = try? await kernel.send(Request(.put, anywhere))

        #expect(record.lines == ["ended 200 -", "failed 0 transport.connect"])
    }

    @Test func `awaiting a response twice is an error and never a hang`() async throws {
        let kernel = try makeKernel([])

        let handle = kernel.begin(Request(.get, anywhere))
        _ = try await handle.response
        let error = await #expect(throws: PlugboardError.self) { try await handle.response }

        #expect(error?.code == "request.taken")
    }

    @Test func `a kernel whose start failed leaves nothing running`() throws {
        for _ in 0..<3 {
            let good = ScriptedPlugin("a", priority: 1)
            let bad = ScriptedPlugin("b", priority: 2)
            bad.onStart = { throw PlugboardError("b", "no") }

            #expect(throws: PlugboardError.self) { try makeKernel([good, bad]) }
        }
    }
}

/// Passes everything on.
private final class Passing: BodySource {
    private let inner: InnerBody
    init(_ inner: InnerBody) { self.inner = inner }
    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }
    func pull(_ pull: Pull) { inner.forward(pull) }
    func rewind() -> Bool { inner.rewind() }
    func release() { inner.release() }
}

/// Never responds.
private final class SilentSource: BodySource {
    let released = Gate()
    var length: Int? { nil }
    func pull(_ pull: Pull) {}
    func release() { released.admit() }
}

/// Responds with a head without a body, and leaves its attempts open.
private final class HeadOnlyTransport: Transport {
    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt {
        let open = OpenAttempt(observer)
        loop.enqueue { observer.attemptReceived(ResponseHead(status: 204), body: nil) }
        return open
    }

    func forget() {}
    func shutDown() {}

    private final class OpenAttempt: Attempt {
        private let observer: any AttemptObserver
        init(_ observer: any AttemptObserver) { self.observer = observer }
        func cancel() { observer.attemptEnded(nil, Timings()) }
        func suspend() {}
        func resume() {}
    }
}
