import Plugboard
import TestSupport
import Testing

/// `Examples/Ancestors/XMNetworking`.
struct XMNetworkingTests {
    private static let photo = String(repeating: "JPEG", count: 50_000)
    private let run: AncestorRun

    init() async throws {
        run = try await AncestorRun(
            "XMNetworking",
            arguments: { folder in
                try folder.write("lake.jpg", Self.photo)
                return [folder.path] + (try AncestorRun.secureServers())
            }
        ) { request, number in
            // All but one path are below a prefix.
            switch request.path.replacing("/v1/", with: "/") {
            case "/user" where request.target.contains("id=404"): ServerResponse(status: 404)
            case "/user":
                .json(["id": 7, "name": .string(request.target.contains("id=2") ? "Bob" : "Ada")])
            case "/newest": .json(["id": 1, "name": "Cleo"])
            case "/refused": .json([:], fields: [("X-Refusal", "banned")])
            case "/session": .json([:], fields: [("X-Refusal", "session")])
            case "/save":
                ServerResponse(
                    fields: [("Content-Type", "text/plain")],
                    body: "\(request.method) \(request.target) \(request.text)")
            case "/busy" where number == 1: ServerResponse(status: 503)
            case "/busy", "/ping": ServerResponse(fields: [("Content-Type", "text/plain")], body: "fine, \(number)")
            case "/boards/1": .json(["id": 1, "posts": [["title": "Lake"]]])
            case "/boards/2": .json(["id": 2, "posts": [["name": "Lake"]]])
            case "/nothing": .json([:], fields: [("X-Nothing-New", "1")])
            case "/cdn/any/7": ServerResponse(fields: [("X-Target", "\(request.method) \(request.target)")])
            case "/account":
                ServerResponse(
                    fields: [("Content-Type", "text/plain")],
                    body: "\(request["Authorization"] ?? "none"), \(request["Cookie"] ?? "no cookie")")
            case "/users/wrapped": .json(["data": ["id": 1, "name": "Ada"]])
            case "/users/json": .json(["id": 1, "name": "Ada"])
            case "/users/plist":
                ServerResponse(
                    fields: [("Content-Type", "application/x-plist")],
                    body: """
                        <plist version="1.0"><dict><key>id</key><integer>1</integer>
                        <key>name</key><string>Bob</string></dict></plist>
                        """)
            case "/users/xml":
                ServerResponse(
                    fields: [("Content-Type", "application/xml")], body: "<user><id>1</id><name>Cleo</name></user>")
            case "/users/text": ServerResponse(fields: [("Content-Type", "text/plain")], body: "Zoë")
            case "/list":
                ServerResponse(
                    fields: [("Content-Type", "text/plain")],
                    body: request["Content-Type"] ?? "none")
            case "/photos": ServerResponse(status: 201)
            case "/photos/7": ServerResponse(body: Self.photo)
            default: .usual(request, number) ?? ServerResponse(status: 404)
            }
        }
    }

    @Test func `what is general is sent, and one request turns it off`() {
        let sent = run.server.requests.prefix(2)

        #expect(run.lines.prefix(2) == ["user: Ada", "user: Ada"])
        #expect(sent.map(\.target) == ["/v1/user?lang=en&id=7", "/v1/user?id=8"])
        #expect(sent.map { $0["X-Platform"] } == ["linux", nil])
        #expect(sent.map { $0["X-Screen"] } == ["home", nil])
    }

    @Test func `the hook and the judge make failures of responses, and the central handler stops one of them`() throws {
        let first = try #require(run.lines.firstIndex(of: "! GET refused: com.example.refused"))

        #expect(
            run.lines[first...].prefix(10) == [
                "! GET refused: com.example.refused", "refused: Refused: banned.", "refused is complete",
                "refused has failed", "! GET limited: com.example.refused", "limited: Too many requests.",
                "limited is complete", "limited has failed", "! GET session: com.example.sessionOver",
                "session has failed",
            ])
    }

    @Test func `a response that is neither a success nor a failure calls nothing`() {
        #expect(run.lines.contains("nothing: ignored"))
        #expect(!run.lines.contains("never printed"))
    }

    @Test func `any method is sent below the prefix, the CDN, or a server of its own, with adapted parameters and URL`()
        throws
    {
        let weather = try #require(run.server.requests.first { $0.path == "/weather/v1/said" })
        let target = "/cdn/v1/any/7?lang=en&version=2&beta=false&signed=1"

        #expect(
            run.lines.drop { !$0.hasPrefix("weather") }.prefix(6) == [
                "weather: GET /weather/v1/said?lang=en", "full URL: GET /full/said?lang=en",
                "without the prefix: GET /said?lang=en", #"other method: REPORT /v1/said {"lang":"en"}"#,
                "any: HEAD \(target)", "any: DELETE \(target)",
            ])
        #expect(weather["X-Units"] == "metric" && weather["X-Signature"] == "GET home")
    }

    @Test func `a request has credentials, no cookies, a tag and a time limit of its own`() {
        #expect(run.lines.contains("account: Basic YWRhOnNlY3JldA==, no cookie, tag account"))
        #expect(run.lines.contains("cookies: none, theme=dark"))
        #expect(run.lines.contains("hasty: timeout.exchange"))
        #expect(run.server.requests.filter { $0.path == "/v1/account" }.map { $0["X-Screen"] } == ["account", "home"])
    }

    @Test func `a batch brings all results in order, with the failure of one, and can be cancelled`() {
        #expect(run.lines.contains(#"batch: ["Ada", "Bob", "response.status"]"#))
        #expect(run.lines.contains("failing batch has failed"))
        #expect(run.lines.contains("slow batch has cancelled"))
    }

    @Test func `a chain goes on from the responses before, stops from inside, and names the step that failed`() {
        #expect(run.lines.contains(#"chain: ["newest", "again", "friend"], stopped: true"#))
        #expect(run.lines.contains("chain: failed at broken"))
        #expect(run.lines.contains("slow chain has cancelled"))
        #expect(run.received("/v1/newest").count == 3)
        #expect(run.received("/v1/never").isEmpty)
        #expect(run.received("/v1/user").filter { $0.hasSuffix("id=404") }.count == 3)
    }

    @Test func `bodies of all kinds are sent`() {
        #expect(
            run.lines.drop { !$0.hasPrefix("saved") }.prefix(7) == [
                "saved: POST /v1/save?draft=true lang=en&name=Zo%C3%AB",
                #"saved: POST /v1/save?draft=true {"lang":"en","name":"Zoë"}"#, "saved as a list: application/x-plist",
                #"saved: PUT /v1/save ["lake","sea"]"#, "saved: PATCH /v1/save?lang=en raw",
                "saved as a message: 27 bytes", "query: GET /v1/said?lang=en&name=Zo%C3%AB",
            ])
    }

    @Test func `responses are read by their content type or by a codec, transformed, or refused`() {
        #expect(
            run.lines.drop { !$0.hasPrefix("json: ") }.prefix(11) == [
                "json: Ada", "plist: Bob", "xml: Cleo", "wrapped: Ada", "text: Zoë", "bytes: 4", "by a codec: as JSON",
                "! GET mislabelled: response.type", "refused: response.type", "message: gold", "card: 7. Ada",
            ])
    }

    @Test func `attempts, a custom request and a check of the shape do what they say`() throws {
        let ping = try #require(run.server.requests.first { $0.method == "OPTIONS" })

        #expect(
            run.lines.drop { !$0.hasPrefix("busy") }.prefix(7) == [
                "busy: fine, 2", "ping: fine, 1", "board 1 is right", "! Board: validator.invalid",
                "board 2: validator.invalid", "! Board: validator.invalid", "board 1: validator.invalid",
            ])
        #expect(ping.target == "/ping" && ping["X-Platform"] == nil)
    }

    @Test func `a form with a file is uploaded with progress`() throws {
        let upload = try #require(run.server.requests.first { $0.path == "/v1/photos" })

        #expect(upload["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(upload["Content-Length"] == "\(upload.body.count)")
        #expect(upload.text.contains(#"filename="lake.jpg""#))
        #expect(upload.text.contains("\r\n\r\nLake\r\n"))
        #expect(upload.text.contains("\r\n\r\n\(Self.photo)\r\n"))
        #expect(run.lines.contains("upload: the callback was told the same"))
        #expect(run.lines.contains("upload: sent \(upload.body.count), received 0, whole"))
    }

    @Test func `a download is written to its path with progress`() throws {
        #expect(run.lines.contains("download: sent 0, received 200000, whole"))
        #expect(try run.folder.read("copy.jpg") == Array(Self.photo.utf8))
    }

    @Test func `calls are suspended, resumed and cancelled by their names, or when those under way have ended`() {
        #expect(run.lines.filter { $0.hasPrefix("one: ") } == ["one: suspended", "one: running"])
        #expect(run.lines.contains("suspended: 5, resumed: 5"))
        #expect(run.lines.filter { $0 == "cancelled: 1" }.count == 5)
        for name in ["search", "feed", "image", "kind", "other"] {
            #expect(run.lines.contains("\(name) has cancelled"))
        }
        #expect(run.lines.contains("finished: succeeded, cancelled"))
    }

    @Test func `callbacks on the main actor are released when they were called`() {
        #expect(
            run.lines.drop { $0 != "on the screen: Ada" }.prefix(2) == ["on the screen: Ada", "the screen is released"])
    }

    @Test
    func `callbacks run on a queue, on the main actor, and where the call ends; a delegate can stand in for them`() {
        #expect(
            run.lines.drop { !$0.hasPrefix("on a queue") }.prefix(6) == [
                "on a queue: Ada", "on the main actor: Ada", "on none: Ada", "delegate: Zoë",
                "! GET missing: response.status", "delegate: response.status",
            ])
    }

    @Test func `the log is switched on and off, for all requests and for one`() {
        #expect(
            run.lines.filter { $0.hasPrefix("logging: ") } == ["logging: GET \(run.server.url("/ping")) → 200"])
    }

    @Test(.enabled(if: NginxServer.isAvailable))
    func `a key is pinned by URL, and an invalid certificate is accepted only where that is said`() {
        #expect(
            run.lines.suffix(8).dropLast(2) == [
                "pinned: right", "! Pinned: transport.tls", "pinned: transport.tls",
                "! Trusting: transport.tls.certificate", "not valid: transport.tls.certificate", "not valid: accepted",
            ])
    }

    @Test func `the program knows whether there is a network, and of which kind`() async throws {
        let kernel = try Kernel()
        let network = try kernel.reachability().current
        await kernel.shutDown()
        let text = network.isReachable ? "reachable" : "not reachable"

        #expect(run.lines.suffix(2) == ["network: \(network.kind), \(text)", "network: \(text)"])
        #expect(run.outcome.status == 0, "\(run.outcome.stderr)")
        #expect(run.outcome.stderr == "")
    }
}
