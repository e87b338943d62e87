import Plugboard
import PlugboardJSON
import PlugboardRecorder
import TestSupport
import Testing

/// What the page that shows recorded exchanges needs of the recorder.
struct RecorderPageTests {
    @Test(arguments: Linkage.allCases)
    func `with measureHooks, the hooks of all plugins are recorded in their order`(linkage: Linkage) async throws {
        let server = try LoopbackServer.responding { request in
            request.target == "/a"
                ? ServerResponse(status: 302, fields: [("Location", "/b")]) : ServerResponse(body: "there")
        }
        let recorder = try Recorders(linkage, also: [.decode, .redirect], measuresHooks: true)

        _ = try await recorder.kernel.send(Request(.get, server.url("/a"))).body.text()
        let entries = try await recorder.entries()

        let calls = entries.last?["_calls"]?.arrayValue ?? []
        let lines = calls.map { call in
            ["plugin", "hook", "verdict"].map { call[$0]?.stringValue ?? "" }.joined(separator: " ")
        }
        #expect(
            lines == [
                "recorder onRequest next", "decode onRequest next", "redirect onResponse resend",
                "redirect onResponse next", "decode onResponse next", "recorder onResponse next",
                "recorder onClose ended",
            ])
        #expect(calls[1]["changed"] == ["Accept-Encoding"])
        let steps = calls.compactMap { $0["step"]?.intValue }
        #expect(steps == steps.sorted() && Set(steps).count == steps.count)
        let attempts = entries.compactMap { $0["_step"]?.intValue }
        // The first attempt is what the redirect responds to.
        #expect(attempts.count == 2 && steps[1] < attempts[0] && attempts[0] < steps[2] && steps[2] < attempts[1])
        await recorder.kernel.shutDown()
    }

    @Test func `without measureHooks no hook is recorded`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "there") }
        let recorder = try Recorders(.linked, also: [.decode])

        _ = try await recorder.kernel.send(Request(.get, server.url("/"))).body.text()

        #expect(try await recorder.entries().first?["_calls"] == nil)
        await recorder.kernel.shutDown()
    }

    @Test(arguments: ["memory", "file"])
    func `exchanges are read in portions, from the newest one`(persistence: String) async throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorders(
            .linked, ["persistence": .string(persistence), "path": .string(folder.file("a.sqlite"))])
        _ = try await recorder.text("import", ["text": .string(har(of: 1...5))])

        func ids(_ arguments: JSONObject) async throws -> [Int64] {
            let log = try JSONParser.parse(try await recorder.text("har", arguments))["log"]
            return (log?["_exchanges"]?.arrayValue ?? []).compactMap { $0["id"]?.intValue }
        }

        #expect(try await ids([:]) == [1, 2, 3, 4, 5])
        #expect(try await ids(["limit": 2]) == [4, 5])
        #expect(try await ids(["limit": 2, "before": 4]) == [2, 3])
        #expect(try await ids(["after": 3]) == [4, 5])
        #expect(try await ids(["after": 2, "before": 4]) == [3])
        #expect(try await ids(["after": 5]) == [])
        #expect(try await ids(["bytes": 1]) == [5])
        #expect(try await ids(["bytes": 1_000_000]) == [1, 2, 3, 4, 5])
        await recorder.kernel.shutDown()
    }

    @Test func `a page can see that another recorder counts from 1 again`() async throws {
        let recorders = [try Recorders(.linked), try Recorders(.linked)]

        var stores: [String] = []
        for recorder in recorders {
            let log = try JSONParser.parse(try await recorder.text("har", ["bytes": 1]))["log"]
            stores.append(try #require(log?["_store"]?.stringValue))
        }

        #expect(stores[0] != stores[1])
        let file = try await recorders[0].text("har")
        #expect(!file.contains("_store"))
        for recorder in recorders { await recorder.kernel.shutDown() }
    }

    @Test func `the failure of an exchange is kept by its import`() async throws {
        let recorder = try Recorders(.linked)
        let har = #"""
            {"log": {"entries": [
                {"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1, "_error": "transport.reset: The body broke.",
                 "request": {"method": "GET", "url": "https://a.test/"}, "response": {"status": 200}}],
             "_exchanges": [{"entries": 1, "took": 1, "failure": "transport.reset"}]}}
            """#

        _ = try await recorder.text("import", ["text": .string(har)])

        #expect(try await recorder.list().first?["failure"]?.stringValue == "transport.reset")
        await recorder.kernel.shutDown()
    }

    @Test func `an exchange of several attempts is one exchange again after its import`() async throws {
        let server = try LoopbackServer.responding { request in
            request.target == "/a"
                ? ServerResponse(status: 302, fields: [("Location", "/b")]) : ServerResponse(body: "there")
        }
        let recorder = try Recorders(.linked, also: [.redirect])
        _ = try await recorder.kernel.send(Request(.get, server.url("/a"))).body.text()
        let har = try await recorder.text("har")

        _ = try await recorder.text("clear")
        _ = try await recorder.text("import", ["text": .string(har)])
        let list = try await recorder.list()

        #expect(list.count == 1 && list.first?["attempts"]?.intValue == 2)
        #expect(list.first?["url"]?.stringValue == server.url("/a") && list.first?["status"]?.intValue == 200)
        #expect(try await recorder.entries() == JSONParser.parse(har)["log"]?["entries"]?.arrayValue)
        await recorder.kernel.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a report is the page with the exchanges`(linkage: Linkage) async throws {
        let recorder = try Recorders(linkage)
        _ = try await recorder.text("import", ["text": .string(har(of: 1...2))])

        let page = try await recorder.text("report", ["text": "item/2"])

        #expect(page.hasPrefix("<!doctype html>") && page.contains("https://a.test/item/2"))
        #expect(!page.contains("https://a.test/item/1"))
        await recorder.kernel.shutDown()
    }

    @Test(arguments: [
        ("Link", "<https://ann:pw@a.test/?page=2&token=hidden>; rel=\"next\", </b?sig=hidden>; rel=last"),
        ("Refresh", "5; url=https://a.test/?access_token=hidden"),
    ])
    func `URLs within fields lose their secrets`(name: String, value: String) async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(fields: [(name, value)]) }
        let recorder = try Recorders(.linked)

        _ = try await recorder.kernel.send(Request(.get, server.url("/"))).body.text()
        let har = try await recorder.text("har")

        #expect(!har.contains("hidden") && !har.contains("pw@"), "\(har)")
        #expect(har.contains("=…"))
        await recorder.kernel.shutDown()
    }

    private func har(of numbers: ClosedRange<Int>) -> String {
        let entries = numbers.map { number in
            """
            {"startedDateTime": "2026-01-01T00:00:0\(number).000Z", "time": 1,
             "request": {"method": "GET", "url": "https://a.test/item/\(number)"}, "response": {"status": 200}}
            """
        }
        return #"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#
    }
}
