import TestSupport
import Testing

/// `Examples/Ancestors/RFAPI`.
struct RFAPITests {
    private let run: AncestorRun

    init() async throws { run = try await Self.run(language: "de_AT.UTF-8") }

    private static func run(language: String) async throws -> AncestorRun {
        try await AncestorRun(
            "RFAPI", environment: ["LC_ALL": language, "LANGUAGE": ""],
            arguments: { _ in ["\(Repository.root)/Examples/Ancestors/RFAPI/endpoints.json"] }
        ) { request, _ in
            switch request.path {
            case "/endpoints.json": .json(["News": ["path": "news/latest", "response": "object"]])
            case "/endpoints.plist":
                ServerResponse(
                    fields: [("Content-Type", "application/x-plist")],
                    body: """
                        <plist version="1.0"><dict><key>Sticker</key><dict>
                        <key>method</key><string>PUT</string><key>path</key><string>stickers</string>
                        <key>response</key><string>raw</string></dict></dict></plist>
                        """)
            case "/stickers": ServerResponse(body: request.body)
            case "/news/latest": .json(["count": 3])
            case "/api/v2/boards/swift%20%26%20linux/topics":
                .json([["id": 1, "title": "Macros"], ["id": 2, "title": "epoll"]])
            case "/api/v2/topics/7/replies": ServerResponse(status: 204)
            case "/topics/7": ServerResponse(status: 204)
            case "/api/v2/topics/401": .json([:], status: 401)
            case "/api/v2/theme":
                ServerResponse(
                    fields: [("Content-Type", "application/xml")], body: "<theme><name>from XML</name></theme>")
            case "/api/v2/drafts": .json(["saved": request.text.contains("one") ? true : "no"])
            case "/api/v2/account":
                ServerResponse(
                    fields: [("Content-Type", "text/plain")],
                    body: "\(request["Authorization"] ?? "none"), \(request["Cookie"] ?? "no cookie")")
            case "/api/v2/unread": .json([:], fields: [("X-Nothing-New", "1")])
            default: .usual(request) ?? .json(["error": "not here"], status: 404)
            }
        }
    }

    @Test func `a definition is called by name, with its type by name, and its callbacks in order`() throws {
        let sent = try #require(run.server.requests.first { $0.path.hasSuffix("topics") })

        #expect(
            run.lines.prefix(3) == [
                #"topics: ["Macros", "epoll"]"#, "the list is complete", "the list has succeeded",
            ])
        #expect(sent.target == "/api/v2/boards/swift%20%26%20linux/topics?lang=en&page=1")
        #expect(sent["X-App"] == "reader" && sent["X-Device"] == "desk")
        #expect(sent["Authorization"] == nil)
    }

    @Test func `a model is made by the program, from the type that the definition names`() {
        #expect(run.lines.contains(#"headlines: ["1. Macros", "2. epoll"]"#))
    }

    @Test func `a definition has any method, below the base, the CDN, a server of its own or a full URL`() {
        #expect(
            run.lines.drop { !$0.hasPrefix("Exists") }.prefix(6) == [
                "Exists: HEAD /api/v2/said?lang=en", "Edit: PATCH /api/v2/said", "Report: REPORT /api/v2/said",
                "Weather: GET /weather/said?lang=en", "Full: GET /full/said?lang=en",
                "Picture: GET /cdn/api/v2/pictures/a%20lake/said?lang=en",
            ])
    }

    @Test func `parameters are in the query and the body, and bodies are lists, bytes and messages`() throws {
        let badge = try #require(run.server.requests.first { $0.path == "/api/v2/mirror" })

        #expect(
            run.lines.drop { !$0.hasPrefix("search") }.prefix(3) == [
                #"search: POST /api/v2/said?lang=en&page=2 {"text":"schön"}"#,
                #"list: PATCH /api/v2/said?lang=en ["new","old"]"#, "bytes: PATCH /api/v2/said?lang=en raw",
            ])
        #expect(badge["Content-Type"] == "application/x-protobuf")
        #expect(run.lines.contains("badge: gold"))
    }

    @Test func `responses are read by their content type or by a codec, transformed, or refused`() {
        #expect(
            run.lines.drop { !$0.hasPrefix("json: ") }.prefix(8) == [
                "json: from JSON", "plist: from a list", "xml: from XML", "wrapped: unwrapped", "text: grün",
                "raw: 5 bytes", "by a codec: as JSON", "refused: response.type",
            ])
    }

    @Test func `a definition turns off what is general`() {
        let slow = run.server.requests.filter { $0.path == "/api/v2/slow/6" }

        #expect(!slow.isEmpty)
        #expect(slow.allSatisfy { $0["X-Device"] == nil && $0["X-App"] == nil && !$0.target.contains("lang") })
    }

    @Test func `a definition of the code is called like those of the file`() {
        #expect(run.lines.contains("dropped: 204"))
        #expect(run.received("/topics") == ["DELETE /topics/7?lang=en"])
    }

    @Test func `a definition has codecs of its own, and a shape that its response must have`() throws {
        let theme = try #require(run.server.requests.first { $0.path == "/api/v2/theme" })

        #expect(theme.text.contains("<key>name</key>"))
        #expect(theme["Accept"] == "application/xml")
        #expect(run.lines.contains("theme: from XML"))
        #expect(run.received("/api/v2/drafts").first == #"POST /api/v2/drafts {"lang":"en","text":"one"}"#)
        #expect(run.lines.filter { $0.hasPrefix("draft: ") } == ["draft: true", "draft: validator.invalid"])
    }

    @Test func `a definition has credentials, no cookies, labels, a time limit and a control`() {
        #expect(run.lines.contains("account: Basic YWRhOnNlY3JldA==, no cookie"))
        #expect(run.lines.contains("labels: account, settings, account"))
        #expect(
            run.lines.filter { $0.hasPrefix("button: ") } == [
                "button: disabled, Das Konto wird geladen, modal", "button: enabled",
            ])
        #expect(run.lines.contains("guest: none, session=7"))
        #expect(run.lines.contains("hasty: timeout.exchange"))
        #expect(
            run.lines.drop { !$0.hasPrefix("list: ref") }.prefix(2) == [
                "list: refreshing, Wird aufgefrischt", "list: refreshed",
            ])
        #expect(run.lines.filter { $0.hasPrefix("wheel: ") } == ["wheel: spinning", "wheel: at rest"])
    }

    @Test func `an accessory is told all that happens to its request`() {
        #expect(
            run.lines.filter { $0.hasPrefix("accessory: ") } == [
                "accessory: willStart", "accessory: suspended", "accessory: resumed", "accessory: cancelled",
                "accessory: willComplete", "accessory: didComplete",
            ])
    }

    @Test func `callbacks run on a queue, on the main actor, and where the call ends`() {
        #expect(
            run.lines.filter { $0.hasPrefix("on ") } == ["on a queue: 200", "on the main actor: 200", "on none: 200"])
    }

    @Test func `callbacks and the delegate are called on an executor, and released`() {
        #expect(
            run.lines.drop { !$0.hasPrefix("screen: ") }.prefix(3) == [
                "screen: DefinedResponse", "Screen has succeeded", "the screen is released",
            ])
    }

    @Test func `the central error handler stops a failure`() {
        #expect(run.lines.contains("topic has failed"))
        #expect(!run.lines.contains("never printed"))
    }

    @Test func `a definition that the server gives is called like those of the file`() {
        #expect(run.lines.contains("news: 3"))
        #expect(run.received().first == "GET /endpoints.json")
        #expect(run.received("/news").first == "GET /news/latest?lang=en")
    }

    @Test func `a definition with authorization adds the headers and parameters of DEFAULT`() throws {
        let sent = try #require(run.server.requests.first { $0.method == "POST" })

        #expect(run.lines.contains("replied: 204"))
        #expect(sent.target == "/api/v2/topics/7/replies?key=k1")
        #expect(sent["Authorization"] == "Bearer t0ken")
        #expect(sent["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(sent.text == "lang=en&text=sch%C3%B6n+%26+gut")
    }

    @Test func `a group is cancelled together, and that is no failure`() throws {
        let first = try #require(run.lines.firstIndex(of: "in the group: 2, general user info: 0"))

        #expect(
            run.lines[first...].prefix(3).sorted() == [
                "in the group: 2, general user info: 0", "slow topic 1 has cancelled", "slow topic 2 has cancelled",
            ])
        #expect(!run.lines.contains("never printed"))
    }

    @Test func `a definition of a property list uploads with progress, and all calls are controlled together`() {
        #expect(run.lines.filter { $0.hasPrefix("one: ") } == ["one: suspended", "one: running", "one: cancelled"])
        #expect(
            run.lines.drop { !$0.hasPrefix("show") }.prefix(7) == [
                "show: SlowTopic", "hide: SlowTopic, cancelled", "suspended: 1, resumed: 1, cancelled: 1",
                "by name: 1", "by name: 1", "by name: 1", "finished: succeeded, cancelled",
            ])
        #expect(
            run.lines.drop { !$0.hasPrefix("sticker") }.prefix(2) == [
                "sticker: 100000 bytes came back", "sent: 100000 of 100000, received: 100000 of 100000",
            ])
    }

    @Test func `an ignored response calls nothing`() {
        #expect(run.lines.contains("unread: ignored"))
        #expect(run.received("/api/v2/unread").count == 1)
    }

    @Test func `a message is in the language of the user, or in English`() async throws {
        let english = try await Self.run(language: "C")

        #expect(run.lines.contains("response.status: Das mochte der Server nicht (404)."))
        #expect(english.lines.contains("response.status: The server did not like that (404)."))
        // That of an indicator too.
        #expect(english.lines.contains("button: disabled, Loading the account, modal"))
    }

    @Test func `a misspelled name is answered with the nearest one`() {
        #expect(run.lines.contains("There is no definition Topics. Did you mean Topic?"))
    }

    @Test func `a request is delayed, and a simulated failure sends nothing`() {
        #expect(run.lines.contains("delayed: 200"))
        #expect(run.lines.last == "debug: timeout.connect: Simulated.")
        #expect(run.received("/api/v2/unread").count == 1)
    }

    @Test func `the program ends without an error`() {
        #expect(run.outcome.status == 0, "\(run.outcome.stderr)")
        #expect(run.outcome.stderr == "")
    }
}
