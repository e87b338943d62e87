import TestSupport
import Testing

/// `Examples/Ancestors/CCNetwork`.
struct CCNetworkTests {
    private static let avatar = String(repeating: "PNG ", count: 50_000)
    private let run: AncestorRun

    init() async throws {
        run = try await AncestorRun(
            "CCNetwork", arguments: { [try $0.write("avatar.png", Self.avatar)] }
        ) { request, number in
            switch (request.path, number) {
            case ("/v1/register", _): .json(["code": 0, "data": ["token": "t 1"]])
            case ("/v1/user", _): .json(["code": 0, "data": ["id": 7, "name": "Ada"]])
            case ("/v1/users/7/friends", _): .json(["code": 0, "data": ["Bob", "Cleo"]])
            case ("/v1/users/7/photos", _): .json(["code": 0, "data": ["lake.jpg"]])
            case ("/v1/users/7/avatar", _): .json(["code": 0, "data": ["url": "/a/7.png"]])
            case ("/status", _): ServerResponse(fields: [("Content-Type", "text/plain")], body: "fine")
            case ("/v1/messages", 1): .json(["code": 0, "data": ["Hello"]])
            case ("/v1/messages", 2): .json(["code": 304])
            case ("/v1/messages", _): .json(["code": 7, "message": "Too many polls."])
            default: ServerResponse(status: 404)
            }
        }
    }

    @Test func `registers with a form, then fetches the user by the token of the response`() {
        #expect(run.lines.first == "user 7: Ada")
        #expect(
            run.received().prefix(2) == [
                "POST /v1/register?version=1.2 name=ada&password=lovelace+%26+co&client=linux",
                "GET /v1/user?token=t%201&client=linux&version=1.2",
            ])
    }

    @Test func `a batch of two types brings both values`() {
        #expect(run.lines.contains("batch: 2 friends, 1 photos"))
        #expect(
            run.received("/v1/users/7/").prefix(2).sorted() == [
                "GET /v1/users/7/friends?client=linux&version=1.2", "GET /v1/users/7/photos?client=linux&version=1.2",
            ])
    }

    @Test func `an upload tells its progress up to the total`() throws {
        let upload = try #require(run.server.requests.first { $0.path == "/v1/users/7/avatar" })

        #expect(run.lines.contains("sent: 200000 of 200000 bytes"))
        #expect(run.lines.contains("avatar: /a/7.png"))
        #expect(upload.method == "PUT")
        #expect(upload["Content-Type"] == "image/png")
        #expect(upload["Content-Length"] == "200000")
        #expect(upload.text == Self.avatar)
    }

    @Test func `adapters of parameters and URLs run in their order`() {
        let targets = run.server.requests.map(\.target).filter { $0 != "/status" }

        #expect(targets.allSatisfy { $0.contains("version=1.2") })
        #expect(run.received("/v1/messages").first == "GET /v1/messages?client=linux&version=1.2")
    }

    @Test func `a custom request ignores base, prefix, parameters and adapters`() throws {
        let custom = try #require(run.server.requests.first { $0.method == "OPTIONS" })

        #expect(custom.target == "/status")
        #expect(custom["X-Probe"] == "1")
        #expect(run.lines.contains("status: fine"))
    }

    @Test func `the verdict is success, then ignored without a callback, then a failure`() {
        #expect(
            run.lines.suffix(5) == [
                #"poll 1: ["Hello"]"#, "poll 1 has succeeded", "poll 2 was ignored", "poll 3: Too many polls.",
                "poll 3 has failed",
            ])
    }

    @Test func `the program ends without an error`() {
        #expect(run.outcome.status == 0, "\(run.outcome.stderr)")
        #expect(run.outcome.stderr == "")
    }
}
