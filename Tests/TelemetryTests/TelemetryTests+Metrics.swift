import Plugboard
import PlugboardJSON
import PlugboardTelemetry
import TestSupport
import Testing

// Metrics by the names, units and buckets of the conventions.
extension TelemetryTests {
    @Test(arguments: Linkage.allCases)
    func `the conventions' metrics have their names, units, buckets and attributes`(linkage: Linkage) async throws {
        let collector = try Collector()
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "four") }
        let kernel = try kernel(linkage, collector)

        _ = try await kernel.send(Request(.get, server.url("/"))).body.text()
        await kernel.shutDown()
        let metrics = collector.metrics
        let duration = try #require(metrics["http.client.request.duration"])
        let point = try #require(duration["histogram"]?["dataPoints"]?[0])
        let active = try #require(metrics["http.client.active_requests"])
        let size = try #require(metrics["http.client.response.body.size"])

        #expect(duration["unit"]?.stringValue == "s" && active["unit"]?.stringValue == "{request}")
        #expect(
            size["unit"]?.stringValue == "By" && size["histogram"]?["dataPoints"]?[0]?["sum"]?.numberValue?.double == 4)
        #expect(
            point["explicitBounds"]?.arrayValue?.compactMap { $0.numberValue?.double } == [
                0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
            ])
        #expect(point["count"]?.stringValue == "1" && point["bucketCounts"]?.arrayValue?.count == 15)
        let attributes = point.attributes
        #expect(attributes["http.request.method"] == "GET" && attributes["http.response.status_code"] == "200")
        #expect(attributes["server.address"] == "127.0.0.1" && attributes["server.port"] == "\(server.port)")
        #expect(attributes["network.protocol.version"] == "1.1" && attributes["url.scheme"] == "http")
        #expect(metrics["http.client.open_connections"]?["unit"]?.stringValue == "{connection}")
        #expect(metrics["http.client.open_connections"]?["sum"]?["isMonotonic"]?.boolValue == false)
        let activePoint = active["sum"]?["dataPoints"]?[0]
        #expect(active["sum"]?["isMonotonic"]?.boolValue == false && activePoint?["asInt"]?.stringValue == "0")
    }

    @Test(arguments: Linkage.allCases)
    func `Prometheus gets families with types, buckets and escaped labels`(linkage: Linkage) async throws {
        let collector = try Collector()
        let transport = MockTransport { _, _ in .respond(503, Fields(), nil) }
        let kernel = try kernel(linkage, collector, [:], transport)

        _ = try await kernel.send(Request(.get, "http://a.test:8080/"))
        guard case .body(let body) = try await kernel.command("telemetry", "prometheus", "{}") else {
            Issue.record("The reply is no body.")
            return
        }
        let lines = try await body.text().split(separator: "\n").map(String.init)

        #expect(lines.contains("# TYPE http_client_request_duration_seconds histogram"))
        let labels =
            #"error_type="503",http_request_method="GET",http_response_status_code="503",network_protocol_version="1.1","#
            + #"server_address="a.test",server_port="8080",url_scheme="http""#
        #expect(lines.contains("http_client_request_duration_seconds_count{\(labels)} 1"))
        #expect(lines.contains(#"http_client_request_duration_seconds_bucket{\#(labels),le="+Inf"} 1"#))
        #expect(lines.contains { $0.hasPrefix("http_client_active_requests{") && $0.hasSuffix(" 0") })
        #expect(Set(lines.filter { $0.hasPrefix("# TYPE") }).count == lines.count { $0.hasPrefix("# TYPE") })
        await kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `the queue's length and the time of waiting for a connection have names, units and help`(
        linkage: Linkage
    ) async throws {
        let folder = try TemporaryFolder()
        let transport = MockTransport { _, number in number == 1 ? .silence : .respond(200) }
        let queue = PluginEntry.queue {
            $0.path = folder.file("q.sqlite")
            $0.automatic = false
        }
        let clock = ManualClock()
        let kernel = try linkage.kernel(telemetryPlugin(), transport, clock: clock, also: [queue]) {
            $0.kernel.connections = 1
        }
        let first = kernel.begin(Request(.get, "http://a.test/"))
        try await transport.began.opened()
        let second = kernel.begin(Request(.get, "http://a.test/"))
        _ = try await kernel.sendLater(Request(.post, "http://a.test/"))
        // The loops answer this when the second one waits.
        _ = await kernel.exchanges()
        clock.advance(by: .seconds(3))
        first.cancel()
        _ = try await second.response

        guard case .body(let body) = try await kernel.command("telemetry", "prometheus", "{}"),
            case .json(let text) = try await kernel.command("telemetry", "metrics", "{}")
        else {
            Issue.record("A reply is of another kind.")
            return
        }
        let lines = try await body.text().split(separator: "\n").map(String.init)
        let scope = try JSONParser.parse(text)["resourceMetrics"]?[0]?["scopeMetrics"]?[0]
        func metric(_ name: String) -> JSONValue? {
            scope?["metrics"]?.arrayValue?.first { $0["name"]?.stringValue == name }
        }

        #expect(lines.contains("# TYPE queue_length gauge"))
        #expect(lines.contains { $0.hasPrefix("# HELP queue_length Number of requests in the queue's file") })
        #expect(lines.contains(#"queue_length{state="pending"} 1"#) && lines.contains(#"queue_length{state="dead"} 0"#))
        #expect(lines.contains("# TYPE kernel_connections_waited_seconds histogram"))
        #expect(lines.contains { $0.hasPrefix("# HELP kernel_connections_waited_seconds How long attempts waited") })
        let bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
        #expect(
            lines.filter { $0.hasPrefix("kernel_connections_waited_seconds_") }
                == bounds.map { #"kernel_connections_waited_seconds_bucket{le="\#($0)"} \#($0 < 3 ? 0 : 1)"# } + [
                    #"kernel_connections_waited_seconds_bucket{le="+Inf"} 1"#,
                    "kernel_connections_waited_seconds_sum 3.0", "kernel_connections_waited_seconds_count 1",
                ])
        let length = metric("queue.length"), waited = metric("kernel.connections.waited")
        #expect(length?["unit"] == "{request}" && length?["gauge"]?["dataPoints"]?.arrayValue?.count == 2)
        #expect(waited?["unit"] == "s" && waited?["histogram"]?["dataPoints"]?[0]?["count"] == "1")
        let point = waited?["histogram"]?["dataPoints"]?[0]
        #expect(point?["explicitBounds"]?.arrayValue?.map { $0.numberValue?.double } == bounds)
        #expect(point?["sum"]?.numberValue?.double == 3)
        #expect(length?["description"]?.stringValue?.hasPrefix("Number of requests") == true)
        #expect(waited?["description"]?.stringValue?.hasPrefix("How long attempts waited") == true)
        await kernel.shutDown()
    }
}
