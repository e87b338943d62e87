import InMemoryTracing
import Plugboard
import PlugboardTracing
import TestSupport
import Testing
import Tracing

struct TracingTests {
    @Test func `each attempt has a span, whose parent is the span that was current at send`() async throws {
        let tracer = InMemoryTracer()
        let transport = MockTransport { _, number in number == 1 ? .respond(503) : .respond(200, Fields(), ["ok"]) }
        let kernel = try Kernel(
            plugins: [.tracing(tracer), .retry { $0.delay = .milliseconds(1) }], transport: transport, log: .silent,
            atSend: { $0.carryServiceContext(by: tracer) })

        let parent = try await tracer.withSpan("work") { span in
            _ = try await kernel.send(Request(.get, "http://u:secret@a.test/x?key=secret")).body.text()
            return span.context.inMemorySpanContext
        }
        await kernel.shutDown()

        let spans = tracer.finishedSpans.filter { $0.operationName == "GET" }
        #expect(spans.count == 2 && spans.allSatisfy { $0.kind == .client })
        #expect(spans.allSatisfy { $0.parentSpanID == parent?.spanID && $0.traceID == parent?.traceID })
        #expect(spans.first?.attributes.get("http.response.status_code") == .int64(503))
        #expect(spans.first?.attributes.get("error.type") == .string("503") && spans.first?.status?.code == .error)
        #expect(spans.last?.attributes.get("http.request.resend_count") == .int64(1))
        #expect(spans.last?.attributes.get("url.full") == .string("http://a.test/x?key=…"))
        #expect(spans.last?.attributes.get("server.address") == .string("a.test"))
        #expect(spans.last?.attributes.get("error.type") == nil && spans.last?.status == nil)
        let sent = transport.requests.map { $0.fields["in-memory-span-id"] }
        #expect(sent == spans.map(\.spanID))
    }

    @Test func `a span has the version, the peer's address and an unknown method's name`() async throws {
        let tracer = InMemoryTracer()
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") }
        defer { server.stop() }
        let kernel = try Kernel(plugins: [.tracing(tracer)], log: .silent)

        _ = try await kernel.send(Request(Method("BREW"), server.url())).body.text()
        await kernel.shutDown()

        let span = try #require(tracer.finishedSpans.first)
        #expect(span.operationName == "HTTP")
        #expect(span.attributes.get("http.request.method") == .string("_OTHER"))
        #expect(span.attributes.get("http.request.method_original") == .string("BREW"))
        #expect(span.attributes.get("network.protocol.version") == .string("1.1"))
        #expect(span.attributes.get("network.peer.address") == .string("127.0.0.1"))
        #expect(span.attributes.get("network.peer.port") == .int64(Int64(server.port)))
    }

    @Test func `a failure is the span's error, and a cancel is not`() async throws {
        let tracer = InMemoryTracer()
        let transport = MockTransport { _, number in
            number == 1 ? .failure(PlugboardError(.transportDNS, "There is no a.test.")) : .silence
        }
        let kernel = try Kernel(plugins: [.tracing(tracer)], transport: transport, log: .silent)

        _ = try? await kernel.send(Request(.get, "http://a.test/"))
        let handle = kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened(for: 2)
        handle.cancel()
        _ = try? await handle.response
        await kernel.shutDown()

        let spans = tracer.finishedSpans
        #expect(spans.map { $0.attributes.get("error.type") } == [.string("transport.dns"), .string("cancelled")])
        #expect(spans.map { $0.status?.code } == [.error, nil])
    }
}
