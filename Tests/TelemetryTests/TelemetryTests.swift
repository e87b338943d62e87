import Plugboard
import PlugboardJSON
import PlugboardTelemetry
import TestSupport
import Testing

/// OpenTelemetry's conventions for HTTP clients, attribute by attribute, as a collector gets them.
struct TelemetryTests {
    func kernel(
        _ linkage: Linkage, _ collector: Collector, _ settings: JSONObject = [:], also others: [PluginEntry] = [],
        _ transport: (any Transport)? = nil
    ) throws -> Kernel {
        var settings = settings
        settings["endpoint"] = .string(collector.url)
        return try linkage.kernel(telemetryPlugin(), transport, settings: settings, also: others)
    }

    @Test(arguments: Linkage.allCases)
    func `an attempt is a client's span with the conventions' attributes`(linkage: Linkage) async throws {
        let collector = try Collector()
        let server = try LoopbackServer.responding { request in
            ServerResponse(
                status: 404, fields: [("X-Shown", request["traceparent"] ?? ""), ("Set-Cookie", "a=t0p")],
                body: "nothing")
        }
        let kernel = try kernel(
            linkage, collector,
            ["service": "shop", "resource": ["service.version": "2"], "responseFields": ["X-Shown", "Set-Cookie"]])
        var request = Request(.post, server.url("/users/7?key=t0p"), body: .text("hello"))
        request.telemetry.template = "/users/{id}"

        _ = try await kernel.send(request).body.text()
        await kernel.shutDown()
        let span = try #require(collector.spans.first)

        #expect(collector.spans.count == 1)
        #expect(span["kind"]?.intValue == 3 && span["name"]?.stringValue == "POST /users/{id}")
        #expect(span["parentSpanId"] == nil && span["status"] == ["code": 2])
        let attributes = span.attributes
        #expect(attributes["http.request.method"] == "POST")
        #expect(attributes["url.full"] == server.url("/users/7?key=…"))
        #expect(attributes["url.template"] == "/users/{id}")
        #expect(attributes["server.address"] == "127.0.0.1" && attributes["server.port"] == "\(server.port)")
        #expect(attributes["http.response.status_code"] == "404" && attributes["error.type"] == "404")
        #expect(attributes["network.protocol.version"] == "1.1")
        #expect(
            attributes["network.peer.address"] == "127.0.0.1" && attributes["network.peer.port"] == "\(server.port)")
        #expect(attributes["http.request.body.size"] == "5" && attributes["http.response.body.size"] == "7")
        let trace = try #require(span["traceId"]?.stringValue), id = try #require(span["spanId"]?.stringValue)
        #expect(attributes["http.response.header.x-shown"] == "00-\(trace)-\(id)-01")
        #expect(attributes["http.response.header.set-cookie"] == nil)
        #expect(attributes["http.request.resend_count"] == nil && attributes["http.request.method_original"] == nil)
        let resource = try #require(collector.resources.first).attributes
        #expect(resource["service.name"] == "shop" && resource["service.version"] == "2")
        #expect(resource["telemetry.sdk.version"] == Kernel.version)
    }

    @Test(arguments: Linkage.allCases)
    func `a redirect and a retry have spans of their own in one trace`(linkage: Linkage) async throws {
        let collector = try Collector()
        let server = try LoopbackServer.responding { request in
            request.target == "/a"
                ? ServerResponse(status: 302, fields: [("Location", "/b")]) : ServerResponse(body: "b")
        }
        let kernel = try kernel(linkage, collector, also: [.redirect])

        _ = try await kernel.send(Request(.get, server.url("/a"))).body.text()
        await kernel.shutDown()
        let spans = collector.spans

        #expect(spans.map { $0.attributes["http.response.status_code"] } == ["302", "200"])
        #expect(spans.map { $0.attributes["http.request.resend_count"] } == [nil, "1"])
        #expect(spans.map { $0.attributes["url.full"] } == [server.url("/a"), server.url("/b")])
        #expect(Set(spans.compactMap { $0["traceId"]?.stringValue }).count == 1)
        #expect(Set(spans.compactMap { $0["spanId"]?.stringValue }).count == 2)
        #expect(spans.first?["events"]?[0]?["name"]?.stringValue == "redirect.followed")
        #expect(spans.allSatisfy { $0.attributes["network.peer.address"] == "127.0.0.1" })
    }

    @Test func `a request follows its parent, and an unsampled one has no span`() async throws {
        let collector = try Collector()
        let transport = MockTransport { _, _ in .respond(200, Fields(), nil) }
        let kernel = try kernel(.linked, collector, ["sampled": 0], transport)
        let trace = "0af7651916cd43dd8448eb211c80319c"
        var sampled = Request(.get, "http://a.test/")
        sampled.telemetry.traceparent = "00-\(trace)-b7ad6b7169203331-01"
        sampled.telemetry.tracestate = "vendor=x"
        var given = Request(.get, "http://a.test/")
        given.fields.append("traceparent", "00-\(trace)-00f067aa0ba902b7-00")

        _ = try await kernel.send(sampled)
        _ = try await kernel.send(given)
        _ = try await kernel.send(Request(.get, "http://a.test/"))
        let sent = transport.requests.map { ($0.fields["traceparent"] ?? "", $0.fields["tracestate"]) }

        #expect(sent[0].0.hasPrefix("00-\(trace)-") && sent[0].0.hasSuffix("-01") && sent[0].1 == "vendor=x")
        #expect(!sent[0].0.contains("b7ad6b7169203331"))
        #expect(sent[1].0.hasPrefix("00-\(trace)-") && sent[1].0.hasSuffix("-00"))
        #expect(sent[2].0.hasSuffix("-00") && !sent[2].0.contains(trace))
        await kernel.shutDown()
    }

    @Test func `a method that is not known, and a failure, are told as the conventions say`() async throws {
        let collector = try Collector()
        let kernel = try kernel(.linked, collector)
        let port = try ClosedPort()

        _ = try? await kernel.send(Request(Method("BREW"), port.url("/")))
        await kernel.shutDown()
        let span = try #require(collector.spans.first)

        #expect(span["name"]?.stringValue == "HTTP")
        #expect(span.attributes["http.request.method"] == "_OTHER")
        #expect(span.attributes["http.request.method_original"] == "BREW")
        #expect(span.attributes["error.type"] == "transport.connect")
        #expect(
            span["status"]?["code"]?.intValue == 2 && span["status"]?["message"]?.stringValue == "transport.connect")
    }

    @Test(arguments: ["redact", "show"], [4096, 4097])
    func `a setting decides whether queries are shown, in long URLs too`(queries: String, length: Int) async throws {
        let collector = try Collector()
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let kernel = try kernel(.linked, collector, ["queries": .string(queries)])
        let beginning = server.url("/?page=2&more=")
        let url = beginning + String(repeating: "x", count: length - beginning.utf8.count)

        _ = try await kernel.send(Request(.get, url))
        await kernel.shutDown()

        let shown = queries == "show" ? String(url.prefix(4096)) : server.url("/?page=…&more=…")
        #expect(collector.spans.first?.attributes["url.full"] == shown)
    }

    // MARK: Export

    @Test func `a collector that is busy gets the spans again, and its own requests are no spans`() async throws {
        let collector = try Collector(statuses: [503])
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let kernel = try kernel(.linked, collector, ["interval": "100ms"])

        _ = try await kernel.send(Request(.get, server.url("/")))
        for await _ in collector.arrivals { break }
        await kernel.shutDown()

        #expect(collector.spans.count == 1)
        #expect(collector.spans.first?.attributes["url.full"] == server.url("/"))
    }

    @Test func `a collector that says when to come again is asked no sooner`() async throws {
        let collector = try Collector(statuses: [429], retryAfter: "60")
        let clock = ManualClock()
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let kernel = try Kernel(
            plugins: [
                .telemetry {
                    $0.endpoint = collector.url
                    $0.metricsInterval = .seconds(3600)
                }
            ], log: .silent, clock: clock)
        _ = try await kernel.send(Request(.get, server.url("/")))
        while collector.asked.admitted == 0 {
            // Not while the export is under way: it would time out on a busy machine.
            if await kernel.exchanges().isEmpty { clock.advance(by: .seconds(5)) }
            await Task.yield()
        }
        while kernel.counters["telemetry.failed"] != 1 { await Task.yield() }

        for _ in 0..<10 {
            clock.advance(by: .seconds(5))
            _ = try await kernel.send(Request(.get, server.url("/")))
        }
        #expect(collector.asked.admitted == 1)
        clock.advance(by: .seconds(20))
        for await _ in collector.arrivals { break }
        await kernel.shutDown()

        #expect(collector.spans.count == 11)
    }

    @Test func `a kernel that ends sends a silent collector nothing more`() async throws {
        let clock = ManualClock()
        let transport = MockTransport { request, _ in
            request.url.contains("/v1/") ? .silence : .respond(200, Fields(), nil)
        }
        let settings: JSONObject = ["endpoint": "http://collector.test", "metricsInterval": "1s"]
        let kernel = try Linkage.linked.kernel(telemetryPlugin(), transport, clock: clock, settings: settings)
        _ = try await kernel.send(Request(.get, "http://a.test/"))

        let ended = Gate()
        let end = Task {
            await kernel.shutDown(within: .seconds(60))
            ended.admit()
        }
        try await transport.began.opened(for: 3)
        while ended.admitted == 0 {
            clock.advance(by: .milliseconds(500))
            await Task.yield()
        }
        await end.value

        #expect(transport.requests.filter { $0.url.contains("/v1/") }.count == 2)
    }

    @Test func `a kernel that ends waits for an export under way no longer than for its last messages`() async throws {
        let (clock, ended) = (ManualClock(), Gate())
        let transport = MockTransport { request, _ in
            request.url.contains("/v1/") ? .silence : .respond(200, Fields(), nil)
        }
        let settings: JSONObject = ["endpoint": "http://collector.test", "metricsInterval": "1h"]
        let kernel = try Linkage.linked.kernel(telemetryPlugin(), transport, clock: clock, settings: settings)
        _ = try await kernel.send(Request(.get, "http://a.test/"))
        while transport.requests.count < 2 {
            // Not while the export is under way: it would time out.
            if await kernel.exchanges().isEmpty { clock.advance(by: .seconds(5)) }
        }
        Task {
            await kernel.shutDown(within: .seconds(60))
            ended.admit()
        }
        try await transport.began.opened(for: 3)
        clock.advance(by: .seconds(2))

        try await ended.opened()
        #expect(kernel.counters["telemetry.dropped"] == 1)
    }

    @Test func `what is beyond the limit is dropped and counted`() async throws {
        let collector = try Collector()
        let transport = MockTransport { _, _ in .respond(200, Fields(), nil) }
        let kernel = try kernel(.linked, collector, ["limit": 2, "interval": "1h"], transport)

        for _ in 1...5 { _ = try await kernel.send(Request(.get, "http://a.test/")) }

        #expect(kernel.counters["telemetry.dropped"] == 3)
        await kernel.shutDown()
    }

    @Test func `a collector that is down costs the file no line twice, and what is lost is counted`() async throws {
        let folder = try TemporaryFolder()
        let port = try ClosedPort()
        let entry = PluginEntry(
            id: "telemetry", path: nil,
            settings: [
                "path": .string(folder.file("otlp.jsonl")), "endpoint": .string(port.url("")), "interval": "100ms",
            ])
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        let kernel = try Kernel(configuration: Configuration(plugins: [entry]), log: .silent)

        _ = try await kernel.send(Request(.get, server.url("/")))
        while (kernel.counters["telemetry.failed"] ?? 0) < 3 { await Task.yield() }
        await kernel.shutDown()
        let text = String(decoding: try folder.read("otlp.jsonl"), as: UTF8.self)

        #expect(text.split(separator: "\n").count { $0.contains("resourceSpans") } == 1)
    }

    @Test func `a file gets a line of JSON for each message`() async throws {
        let folder = try TemporaryFolder()
        let transport = MockTransport { _, _ in .respond(200, Fields(), nil) }
        let entry = PluginEntry(
            id: "telemetry", path: nil,
            settings: [
                "path": .string(folder.file("otlp.jsonl")), "prometheusPath": .string(folder.file("metrics.prom")),
            ])
        let kernel = try Kernel(
            configuration: Configuration(plugins: [entry]), transport: transport, log: .silent)

        _ = try await kernel.send(Request(.get, "http://a.test/"))
        await kernel.shutDown()
        let lines = String(decoding: try folder.read("otlp.jsonl"), as: UTF8.self).split(separator: "\n")
        let values = try lines.map { try JSONParser.parse(String($0)) }

        #expect(values.count == 2 && values.contains { $0["resourceSpans"] != nil })
        #expect(values.contains { $0["resourceMetrics"] != nil })
        #expect(
            String(decoding: try folder.read("metrics.prom"), as: UTF8.self).contains("http_client_request_duration"))
    }

    @Test(arguments: [
        "", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    ])
    func `a text that is no traceparent begins a new trace`(text: String) async throws {
        let collector = try Collector()
        let transport = MockTransport { _, _ in .respond(200, Fields(), nil) }
        let kernel = try kernel(.linked, collector, [:], transport)
        var request = Request(.get, "http://a.test/")
        request.telemetry.traceparent = text

        _ = try await kernel.send(request)
        await kernel.shutDown()

        let parts = transport.requests.first?.fields["traceparent"]?.split(separator: "-").map(String.init) ?? []
        #expect(parts.count == 4 && parts.first == "00" && parts.last == "01")
        #expect(parts.count > 1 && !text.lowercased().contains(parts[1]))
    }
}
