import Plugboard
import TestSupport
import Testing

@Suite struct `Rule 1: order is priority` {
    @Test func `requests go inward in ascending priority, responses and closings in the reverse order`() async throws {
        let record = Record()
        let plugins = [
            recorder("c", priority: 900, record), recorder("a", priority: 100, record),
            recorder("b", priority: 500, record),
        ]
        let kernel = try makeKernel(plugins)

        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))

        #expect(
            record.lines == [
                "a request", "b request", "c request", "c response 200", "b response 200", "a response 200",
                "c close ended", "b close ended", "a close ended",
            ])
    }

    @Test func `plugins start in order and stop in the reverse`() async throws {
        let record = Record()
        let plugins = ["b", "a"].map { id in
            let plugin = ScriptedPlugin(id, priority: id == "a" ? 1 : 2)
            plugin.onStart = { record.add("start \(id)") }
            plugin.onStop = { record.add("stop \(id)") }
            return plugin
        }
        let kernel = try makeKernel(plugins)

        await kernel.shutDown()

        #expect(record.lines == ["start a", "start b", "stop b", "stop a"])
    }

    @Test func `a start that fails undoes the earlier ones in reverse and is reported`() async throws {
        let record = Record()
        let plugins = ["a", "b", "c"].enumerated().map { index, id in
            let plugin = ScriptedPlugin(id, priority: index)
            plugin.onStart = {
                if id == "c" { throw PlugboardError("c", "the port is taken") }
                record.add("start \(id)")
            }
            plugin.onStop = { record.add("stop \(id)") }
            return plugin
        }

        let error = #expect(throws: PlugboardError.self) { try makeKernel(plugins) }

        #expect(record.lines == ["start a", "start b", "stop b", "stop a"])
        #expect(error?.code == .pluginStart)
        #expect(error?.reason.contains("the port is taken") == true)
    }

    @Test func `a plugin that the configuration switches off for an origin is not called there`() async throws {
        let record = Record()
        let kernel = try makeKernel([recorder("a", priority: 1, record), recorder("b", priority: 2, record)]) {
            $0.origins = ["http://origin.test": ["a.enabled": "false"]]
        }

        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))
        let there = record.lines
        _ = try await kernel.send(Request(.get, "http://other.test/")).body.collect(upTo: .kibibytes(1))
        let elsewhere = record.lines.dropFirst(there.count)

        #expect(there == ["b request", "b response 200", "b close ended"])
        #expect(elsewhere.prefix(2) == ["a request", "b request"])
    }

    @Test func `a request's attribute for a plugin overrides the one of its origin`() async throws {
        let record = Record()
        let kernel = try makeKernel([recorder("a", priority: 1, record)]) {
            $0.origins = ["http://origin.test": ["a.enabled": "false"]]
        }

        _ = try await kernel.send(Request(.get, anywhere, attributes: ["a.enabled": "true"]))

        #expect(record.lines.first == "a request")
    }

    @Test func `a resend to another origin is skipped by the plugins that this origin switches off`() async throws {
        let record = Record()
        let outer = ScriptedPlugin("outer", priority: 1)
        outer.onResponse = { exchange in
            if exchange.attempt > 1 { return .next }
            exchange.request.url = "http://other.test/"
            return .resend()
        }
        let plugins = [outer, recorder("a", priority: 2, record), recorder("b", priority: 3, record)]
        let kernel = try makeKernel(plugins) {
            $0.origins = [
                "http://origin.test": ["a.enabled": "false"],
                "http://other.test": ["b.enabled": "false", "outer.enabled": "false"],
            ]
        }

        _ = try await kernel.send(Request(.get, anywhere)).body.collect(upTo: .kibibytes(1))

        #expect(
            record.lines == [
                "b request", "b response 200", "b close resent", "a request", "a response 200", "a close ended",
            ])
    }

    @Test func `a plugin that a request switches off is not called`() async throws {
        let record = Record()
        let kernel = try makeKernel([recorder("a", priority: 1, record), recorder("b", priority: 2, record)])
        var request = Request(.get, anywhere)
        request.attributes["a.enabled"] = "false"

        _ = try await kernel.send(request).body.collect(upTo: .kibibytes(1))

        #expect(record.lines == ["b request", "b response 200", "b close ended"])
    }
}
