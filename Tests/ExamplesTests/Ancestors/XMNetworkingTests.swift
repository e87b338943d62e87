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
                return [folder.path]
            }
        ) { request, number in
            switch request.path {
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
            case "/photos": ServerResponse(status: 201)
            case "/photos/7": ServerResponse(body: Self.photo)
            default: ServerResponse(status: 404)
            }
        }
    }

    @Test func `what is general is sent, and one request turns it off`() {
        let sent = run.server.requests.prefix(2)

        #expect(run.lines.prefix(2) == ["user: Ada", "user: Ada"])
        #expect(sent.map(\.target) == ["/user?lang=en&id=7", "/user?id=8"])
        #expect(sent.map { $0["X-Platform"] } == ["linux", nil])
        #expect(sent.map { $0["X-Screen"] } == ["home", nil])
    }

    @Test func `the hook of responses sets errors, and the central handler stops one of them`() throws {
        let first = try #require(run.lines.firstIndex(of: "! GET refused: com.example.refused"))

        #expect(
            run.lines[first...].prefix(5) == [
                "! GET refused: com.example.refused", "refused: Refused: banned.", "refused has failed",
                "! GET session: com.example.sessionOver", "session has failed",
            ])
    }

    @Test func `a batch brings all results in order, with the failure of one`() {
        #expect(run.lines.contains(#"batch: ["Ada", "Bob", "response.status"]"#))
    }

    @Test func `a chain goes on from the responses before, stops from inside, and names the step that failed`() {
        #expect(run.lines.contains(#"chain: ["newest", "friend"], stopped: true"#))
        #expect(run.lines.contains("chain: failed at broken"))
        #expect(run.received("/newest").count == 2)
        #expect(run.received("/never").isEmpty)
        #expect(run.received("/user").suffix(2) == ["GET /user?lang=en&id=2", "GET /user?lang=en&id=404"])
    }

    @Test func `bodies, attempts, a custom request and a check of the shape do what they say`() {
        #expect(
            run.lines.drop { !$0.hasPrefix("saved") }.prefix(8) == [
                "saved: POST /save?draft=true lang=en&name=Zo%C3%AB",
                #"saved: POST /save?draft=true {"lang":"en","name":"Zoë"}"#, "saved: PATCH /save?lang=en raw",
                "busy: fine, 2", "ping: fine, 1", "board 1 is right", "! Board: validator.invalid",
                "board 2: validator.invalid",
            ])
    }

    @Test func `a form with a file is uploaded with progress`() throws {
        let upload = try #require(run.server.requests.first { $0.path == "/photos" })

        #expect(upload["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(upload["Content-Length"] == "\(upload.body.count)")
        #expect(upload.text.contains(#"filename="lake.jpg""#))
        #expect(upload.text.contains("\r\n\r\nLake\r\n"))
        #expect(upload.text.contains("\r\n\r\n\(Self.photo)\r\n"))
        #expect(run.lines.contains("upload: sent \(upload.body.count), received 0, whole"))
    }

    @Test func `a download is written to its path with progress`() throws {
        #expect(run.lines.contains("download: sent 0, received 200000, whole"))
        #expect(try run.folder.read("copy.jpg") == Array(Self.photo.utf8))
    }

    @Test func `a call is cancelled by its identifier`() throws {
        let first = try #require(run.lines.firstIndex(of: "cancelled: 1"))

        #expect(run.lines.contains("search has cancelled"))
        #expect(run.lines[first...].count <= 3)
    }

    @Test func `the program knows whether there is a network`() {
        #expect(run.lines.last?.hasPrefix("network: ") == true)
        #expect(run.lines.last?.hasSuffix("reachable") == true)
        #expect(run.outcome.status == 0, "\(run.outcome.stderr)")
        #expect(run.outcome.stderr == "")
    }
}
