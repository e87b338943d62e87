import Plugboard
import PlugboardJSON
import PlugboardMock
import TestSupport
import Testing

/// What a run with `unmatched` set to `record` writes to the file of rules, and what the next run makes of it.
struct RecordingTests {
    private let folder: TemporaryFolder
    private let log = Record()

    init() throws { folder = try TemporaryFolder() }

    /// A kernel that records to the file, or that responds by it alone.
    private func kernel(
        _ linkage: Linkage, recording: MockTransport? = nil, also others: [PluginEntry] = []
    ) throws -> Kernel {
        var settings: JSONObject = ["rules": .string(folder.file("recorded.json"))]
        if recording != nil { settings["unmatched"] = "record" }
        return try linkage.kernel(
            mockPlugin(), recording ?? MockTransport { _, _ in .silence }, settings: settings, also: others,
            log: KernelLog(level: .warning) { [log] _, source, text in if source == "mock" { log.add(text) } })
    }

    /// Sends GET requests one after the other, and returns the texts of the responses.
    private func texts(_ kernel: Kernel, _ urls: [String]) async throws -> [String] {
        var texts: [String] = []
        for url in urls { texts.append(try await kernel.send(Request(.get, url)).body.text()) }
        return texts
    }

    private func recordedRules() throws -> [JSONValue] {
        try JSONParser.parse(try folder.read("recorded.json"))["rules"]?.arrayValue ?? []
    }

    @Test(arguments: Linkage.allCases)
    func `a redirect that was followed is recorded without its body`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in
            request.url == "http://a.test/start"
                ? .respond(302, Fields(["Location": "/end"]), ["moved"]) : .respond(200, Fields(), ["arrived"])
        }
        let recording = try kernel(linkage, recording: transport, also: [.redirect])
        _ = try await texts(recording, ["http://a.test/start"])
        await recording.shutDown()
        let replaying = try kernel(linkage, also: [.redirect])

        let replayed = try await texts(replaying, ["http://a.test/start"])

        let redirect: JSONValue = ["status": 302, "fields": ["Location": "/end"]]
        #expect(replayed == ["arrived"])
        #expect(try recordedRules().first?["responses"]?.arrayValue == [redirect])
        #expect(log.lines == [])
        await replaying.shutDown()
    }

    @Test func `a redirect to a URL with a secret is not recorded, and the log says why`() async throws {
        let transport = MockTransport { request, _ in
            request.url == "http://a.test/start"
                ? .respond(302, Fields(["Location": "/end?token=t0p"])) : .respond(200)
        }
        let recording = try kernel(.linked, recording: transport)

        _ = try await texts(recording, ["http://a.test/start", "http://a.test/other"])
        await recording.shutDown()

        let recorded = try recordedRules().map { $0["request"]?["url"]?.stringValue }
        #expect(recorded == ["http://a.test/other"])
        #expect(log.lines.count == 1 && log.lines.first?.contains("Location") == true)
        #expect(log.lines.first?.contains("t0p") == false)
    }

    @Test(arguments: Linkage.allCases)
    func `a recorded URL with a wildcard leaves other URLs their responses`(linkage: Linkage) async throws {
        let transport = MockTransport { request, _ in .respond(200, Fields(), [request.url]) }
        let urls = [
            "http://a.test/s?draft", "http://a.test/s?final", "http://a.test/p/*", "http://a.test/s?page=2",
            "http://a.test/p/1",
        ]
        let recording = try kernel(linkage, recording: transport)
        _ = try await texts(recording, urls)
        await recording.shutDown()
        let replaying = try kernel(linkage)

        let replayed = try await texts(replaying, urls)

        #expect(replayed == urls)
        let recorded = try recordedRules().map { $0["request"]?["url"]?.stringValue }
        #expect(
            recorded == [
                "http://a.test/s?page=2", "http://a.test/p/1", "http://a.test/s?*", "http://a.test/s?*",
                "http://a.test/p/*",
            ])
        await replaying.shutDown()
    }

    @Test func `a response that a rule cannot have does not damage the file`() async throws {
        let transport = MockTransport { request, _ in
            request.url == "http://a.test/odd"
                ? .respond(799)
                : .respond(
                    200, Fields(["Vary": "Accept", "X-Odd": "a\u{1}b", "X Odd": "c", "Vary": "Origin"]), ["there"])
        }
        let recording = try kernel(.linked, recording: transport)
        _ = try await texts(recording, ["http://a.test/odd", "http://a.test/fields"])
        await recording.shutDown()
        let replaying = try kernel(.linked)

        let replayed = try await replaying.send(Request(.get, "http://a.test/fields"))

        #expect(try await replayed.body.text() == "there")
        #expect(replayed.fields.map { "\($0.name): \($0.value)" } == ["Vary: Accept, Origin"])
        #expect(try recordedRules().count == 1)
        #expect(log.lines.count == 1 && log.lines.first?.contains("the status 799") == true)
        await replaying.shutDown()
    }
}
