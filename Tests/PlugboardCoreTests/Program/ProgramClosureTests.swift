import Plugboard
import PlugboardKit
import PlugboardMessages
import Synchronization
import TestSupport
import Testing

/// Plugins that are closures of the program.
struct ProgramClosureTests {
    private struct Broken: Error {}

    @Test func `a closure signs each request`() async throws {
        let transport = MockTransport()
        let kernel = try Kernel(
            plugins: [
                .hooks(
                    "com.acme.sign", priority: 900,
                    onRequest: { exchange in
                        let request = exchange.request
                        request["x-signature"] = "\(request.method) \(request.url)"
                        return .next
                    })
            ], transport: transport, log: .silent)

        _ = try await kernel.send(Request(.get, anywhere))

        #expect(transport.requests.first?.fields["x-signature"] == "GET \(anywhere)")
        await kernel.shutDown()
    }

    @Test func `closures of all hooks are called at their priority`() async throws {
        let record = Record()
        func closures(_ id: String, _ priority: Int) -> PluginEntry {
            .hooks(
                id, priority: priority,
                onRequest: { _ in
                    record.add("\(id) request")
                    return .next
                },
                onResponse: { _ in
                    record.add("\(id) response")
                    return .next
                },
                onFailure: { _ in
                    record.add("\(id) failure")
                    return .next
                }, onClose: { _, outcome in record.add("\(id) \(outcome)") })
        }
        let transport = MockTransport { _, number in
            number == 1 ? .respond(200) : .failure(PlugboardError(.transportReset, "It failed."))
        }
        let kernel = try Kernel(plugins: [closures("b", 20), closures("a", 10)], transport: transport, log: .silent)

        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))
        _ = try? await kernel.send(Request(.post, anywhere))

        #expect(
            record.lines == [
                "a request", "b request", "b response", "a response", "b ended", "a ended",
                "a request", "b request", "b failure", "a failure", "b failed", "a failed",
            ])
        await kernel.shutDown()
    }

    @Test func `a hook that has no closure is not listed`() throws {
        let plugin = PluginEntry.hooks("a", priority: 10, onFailure: { _ in .next })
        let resolved = try ResolvedPlugins(Configuration(plugins: [plugin]), catalog: Catalog())

        #expect(resolved.plugins.map(\.descriptor.hooks) == [.failure])
    }

    @Test func `all details of an event can be read in their order`() async throws {
        let record = Record()
        let kernel = try Kernel(
            plugins: [
                .hooks(
                    "com.acme.watch", priority: 10,
                    onEvent: { event, _ in
                        record.add(
                            "\(event.id) " + event.details.map { "\($0.name)=\($0.value)" }.joined(separator: " "))
                    }, events: ["attemptBegan", "headReceived", "completed"])
            ], transport: MockTransport(), log: .silent)

        _ = try await kernel.send(Request(.get, "http://user:pass@origin.test/a?key=1")).body.collect(
            upTo: .kibibytes(1))

        #expect(
            record.lines == [
                "attemptBegan attempt=1 reason=first method=GET url=http://origin.test/a?key=… waited=0",
                "headReceived version=1.1", "completed outcome=ended attempts=1",
            ])
        await kernel.shutDown()
    }

    @Test func `body wrappers change both bodies`() async throws {
        let sent = Mutex<[UInt8]>([])
        let server = try LoopbackServer.responding { request in
            sent.withLock { $0 = Array(request.body) }
            return ServerResponse(body: "response")
        }
        defer { server.stop() }
        let kernel = try Kernel(
            plugins: [
                .hooks("upper", priority: 100, requestBody: { Uppercase($0) }, responseBody: { Uppercase($0) })
            ], log: .silent)

        let response = try await kernel.send(Request(.post, server.url(), body: .text("request")))

        #expect(try await response.body.text() == "RESPONSE")
        #expect(sent.withLock { String(decoding: $0, as: UTF8.self) } == "REQUEST")
        await kernel.shutDown()
    }

    @Test func `an error that a closure throws is a fault of the plugin by its name`() async throws {
        let closure = PluginEntry.hooks("com.acme.broken", priority: 100, onRequest: { _ in throw Broken() })
        let strict = try Kernel(plugins: [closure], transport: MockTransport(), log: .silent)
        let lenient = try Kernel(
            plugins: [closure.with(onFault: .disable, faultLimit: 1)], transport: MockTransport(), log: .silent)

        let error = try await failure(of: strict, Request(.get, anywhere))
        let response = try await lenient.send(Request(.get, anywhere))
        _ = try await response.body.collect(upTo: .kibibytes(1))

        #expect(error.plugin == "com.acme.broken")
        #expect(response.status == 200)
        #expect(lenient.plugins.first?.disabled != nil)
        await strict.shutDown()
        await lenient.shutDown()
    }

    @Test func `measures and traces name the closure's plugin`() async throws {
        var configuration = Configuration()
        configuration.kernel.measureHooks = true
        let kernel = try Kernel(
            configuration: configuration,
            plugins: [.hooks("com.acme.look", priority: 100, onRequest: { _ in .next })], transport: MockTransport(),
            log: .silent)
        let called = Mutex<[String]>([])
        let handle = kernel.begin(
            Request(.get, anywhere),
            trace: { step in
                if let call = step.call { called.withLock { $0.append("\(call.plugin) \(call.hook) \(call.verdict)") } }
            })

        _ = try await handle.response

        #expect(called.withLock { $0 } == ["com.acme.look onRequest next"])
        #expect(kernel.counters["kernel.calls.com.acme.look.onRequest"] == 1)
        await kernel.shutDown()
    }

    @Test(arguments: ["", "a b", "kernel.x", "a..b"])
    func `a name that is not an id is refused`(id: String) {
        let configuration = Configuration().adding([.hooks(id, priority: 100, onRequest: { _ in .next })])

        #expect(configuration.errors().map(\.path) == ["program.plugins[0]"])
        #expect(configuration.errors().map(\.code) == [.loadingDescriptor])
    }

    @Test func `a priority beyond the bounds is refused`() {
        let configuration = Configuration().adding([.hooks("a", priority: 1000, onRequest: { _ in .next })])

        #expect(configuration.errors().map(\.code) == [.loadingDescriptor])
    }

    @Test func `a closure watches the events that are listed, as the program's watcher sees them`() async throws {
        let (inside, outside) = (Record(), Record())
        let kernel = try Kernel(
            plugins: [
                .hooks(
                    "com.acme.watch", priority: 10,
                    onEvent: { event, exchange in
                        inside.add("\(event.id) \(event["attempt"] ?? "-") \(event.integer("attempt") ?? -1)")
                        if exchange == nil { inside.add("of no exchange") }
                    }, events: ["attemptBegan"])
            ], transport: MockTransport(), log: .silent)

        let exchange = kernel.begin(Request(.get, anywhere)) { event in
            guard event.is("attemptBegan") else { return }
            outside.add("\(event.id) \(event["attempt"] ?? "-") \(event.integer("attempt") ?? -1)")
        }
        _ = try await exchange.response.body.collect(upTo: .kibibytes(1))
        await kernel.shutDown()

        #expect(inside.lines == ["attemptBegan 1 1"] && outside.lines == inside.lines)
    }
}

/// Sendable because it is touched on the loop only.
private final class Uppercase: BodySource, @unchecked Sendable {
    private let inner: InnerBody

    init(_ inner: InnerBody) { self.inner = inner }

    var length: Int? { inner.length }
    var canRewind: Bool { inner.canRewind }
    func pull(_ pull: Pull) {
        inner.withPiece { piece in
            switch piece {
            case .bytes(let bytes): pull.give(Bytes(bytes.map { (0x61...0x7a).contains($0) ? $0 - 0x20 : $0 }))
            case .end(let trailers): pull.end(trailers: trailers)
            case .broken(let error): pull.fail(error)
            }
        }
    }
    func rewind() -> Bool { inner.rewind() }
    func release() { inner.release() }
}
