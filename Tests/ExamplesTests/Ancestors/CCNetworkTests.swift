import TestSupport
import Testing

/// `Examples/Ancestors/CCNetwork`.
struct CCNetworkTests {
    private static let film = RangeServer.content(10_000)
    private static let avatar = String(repeating: "PNG ", count: 50_000)
    private let run: AncestorRun

    init() async throws {
        run = try await AncestorRun(
            "CCNetwork", arguments: { [try $0.write("avatar.png", Self.avatar), $0.path] }
        ) { request, number in
            switch (request.path, number) {
            case ("/v1/register", _): .json(["code": 0, "data": ["token": "t 1"]])
            case ("/v1/user", _): .json(["code": 0, "data": ["id": 7, "name": "Ada"]])
            case ("/v1/users/7/friends", _): .json(["code": 0, "data": ["Bob", "Cleo"]])
            case ("/v1/users/7/photos", _): .json(["code": 0, "data": ["lake.jpg"]])
            case ("/v1/users/7/avatar", _): .json(["code": 0, "data": ["url": "/a/7.png"]])
            case ("/v1/days/404/flights", _): .json(["code": 8, "message": "No such day."], status: 404)
            case ("/v1/days/1/flights", let number): .json(["code": 0, "data": ["A1", .string("B\(number)")]])
            case ("/v1/days/2/flights", _), ("/v1/days/3/flights", _): .json(["code": 0, "data": ["C1"]])
            // The connection breaks after half of the file.
            case ("/cdn/v1/manuals/a320.pdf", 1):
                ServerResponse(
                    fields: [("ETag", "\"1\""), ("Content-Length", "8"), ("Connection", "close")], body: "PDF ")
            case ("/cdn/v1/manuals/a320.pdf", _):
                ServerResponse(
                    status: 206, fields: [("ETag", "\"1\""), ("Content-Range", "bytes 4-7/8")], body: "wing")
            case ("/cdn/v1/manuals/b737.pdf", _): ServerResponse(body: "PDF")
            // A server without validators, whose first connection breaks.
            case ("/v1/films/launch.mp4", 1):
                ServerResponse(
                    fields: [("Content-Length", "10000"), ("Connection", "close")], body: Array(Self.film[..<6000]))
            case ("/v1/films/launch.mp4", _):
                ServerResponse(
                    status: 206, fields: [("Content-Range", "bytes 4976-9999/10000")], body: Array(Self.film[4976...]))
            case ("/v1/passengers/1", _):
                .json(["code": 0, "data": ["userId": 1, "nick": "ada", "seats": [["row": 7]]]])
            case ("/v1/passengers/2", _):
                .json(["code": 0, "data": ["userId": 2, "nick": "bob", "seats": [["row": "window"]]]])
            case ("/v1/bookings", _): .json(["code": 0, "data": ["A1"]])
            case ("/status", _): ServerResponse(fields: [("Content-Type", "text/plain")], body: "fine")
            case ("/v1/messages", 1): .json(["code": 0, "data": ["Hello"]])
            case ("/v1/messages", 2): .json(["code": 304])
            case ("/v1/messages", _): .json(["code": 7, "message": "Too many polls."])
            default: .usual(request, number) ?? ServerResponse(status: 404)
            }
        }
    }

    @Test func `the whole output is this`() {
        #expect(
            run.outcome.stdout == #"""
                user 7: Ada
                batch: 2 friends, 1 photos
                sent: 200000 of 200000 bytes
                avatar: /a/7.png
                status: fine
                any method: HEAD /v1/flights/7/said?lang=en&client=linux&version=1.2
                any method: PATCH /v1/flights/7/said?version=1.2
                any method: DELETE /v1/flights/7/said?lang=en&client=linux&version=1.2
                any method: REPORT /v1/flights/7/said?version=1.2
                weather: GET /weather/v1/said?lang=en&client=linux&version=1.2
                full URL: GET /full/said?lang=en&client=linux&version=1.2
                query: GET /v1/said?lang=en&name=gr%C3%BCn%20%26%20blau&client=linux&version=1.2
                form: POST /v1/said?lang=en&version=1.2 name=gr%C3%BCn+%26+blau&client=linux
                json: POST /v1/said?lang=en&version=1.2 {"name":"grün & blau","client":"linux"}
                plist: </plist>
                list: PUT /v1/said?lang=en&client=linux&version=1.2 ["new","old"]
                bytes: PUT /v1/said?lang=en&client=linux&version=1.2 raw
                protobuf: 52 bytes
                cached before: false
                flights: ["A1", "B1"], again ["A1", "B1"]
                cached: 200
                of another version: ["A1", "B2"]
                from the file: ["A1", "B2"]
                after all are removed: ["A1", "B3"]
                fresh: response 1
                fresh: response 1
                tagged: response 1
                tagged: response 1
                in memory: 2 of 3
                manual: 8 bytes
                film: body.cut, so far 6000 bytes
                film: 10000 bytes
                kept elsewhere: true
                passenger: ada
                passenger 2: validator.invalid: The response's body does not match its schema. /data/seats/0/row: \#
                The value must be an integer. (/properties/data/properties/seats/items/properties/row/type)
                no crew: validator.invalid
                batch: ["A1 B4", "C1", "C1"]
                one by one: [0, 2]
                batch failed: response.status
                batch has failed
                slow batch has cancelled
                chain: ["flights", "passenger 1"], stopped: true
                chain failed: response.status
                chain: failed at none
                slow chain has cancelled
                show: day 1
                screen: ["A1", "B4"]
                hide: day 1, succeeded
                show: day 404
                screen: response.status
                hide: day 404, failed
                show: slow
                pause: slow
                go on: slow
                hide: slow, cancelled
                board: 2 flights
                board: complete
                the board is gone
                on a queue: 2
                on the main actor: 2
                on none: 2
                button: disabled, Booking, modal
                button: enabled
                list: refreshing, Reloading
                list: refreshed
                wheel: spinning
                wheel: at rest
                accessory: willStart
                accessory: suspended
                accessory: resumed
                accessory: cancelled
                accessory: willComplete
                accessory: didComplete
                limited: Too many requests.
                limited has failed
                logout has failed
                poll 1: ["Hello"]
                poll 1 has succeeded
                poll 2 was ignored
                poll 3: Too many polls.
                poll 3 has failed

                """#)
    }

    @Test func `registers with a form, then fetches the user by the token of the response`() {
        #expect(run.lines.first == "user 7: Ada")
        #expect(
            run.received().prefix(2) == [
                "POST /v1/register?version=1.2 lang=en&name=ada&password=lovelace+%26+co&client=linux",
                "GET /v1/user?lang=en&token=t%201&client=linux&version=1.2",
            ])
    }

    @Test func `a batch of two types brings both values`() {
        #expect(run.lines.contains("batch: 2 friends, 1 photos"))
        #expect(
            run.received("/v1/users/7/").prefix(2).sorted() == [
                "GET /v1/users/7/friends?lang=en&client=linux&limit=10&version=1.2",
                "GET /v1/users/7/photos?client=linux&version=1.2",
            ])
    }

    @Test func `what is general is sent, unless a request turns it off`() throws {
        let friends = try #require(run.server.requests.first { $0.path == "/v1/users/7/friends" })
        let photos = try #require(run.server.requests.first { $0.path == "/v1/users/7/photos" })
        let weather = try #require(run.server.requests.first { $0.path == "/weather/v1/said" })

        #expect(friends["X-App"] == "flights" && friends["X-Screen"] == "home" && friends.target.contains("lang=en"))
        #expect(photos["X-App"] == nil && photos["X-Screen"] == nil && !photos.target.contains("lang"))
        #expect(weather["X-Units"] == "metric" && weather["X-App"] == "flights")
    }

    @Test func `a response is stored as its server says, and confirmed by its validator`() {
        #expect(run.received("/v1/fresh").count == 1)
        #expect(
            run.server.requests.filter { $0.path == "/v1/tagged" }.map { $0["If-None-Match"] } == [nil, "\"1\""])
    }

    @Test func `downloads go on, with a validator and without`() throws {
        func ranges(_ name: String) -> [String?] {
            run.server.requests.filter { $0.path.hasSuffix(name) }.map { $0["Range"] }
        }

        #expect(ranges("a320.pdf") == [nil, "bytes=4-"])
        #expect(ranges("launch.mp4") == [nil, "bytes=4976-"])
        #expect(try run.folder.read("a320.pdf") == Array("PDF wing".utf8))
        #expect(try run.folder.read("launch.mp4") == Self.film)
    }

    @Test func `a property list and a message of Protocol Buffers are sent`() {
        let types = run.server.requests.filter { $0.path == "/v1/said" }.map { $0["Content-Type"] }

        #expect(
            types == [
                nil, "application/x-www-form-urlencoded", "application/json", "application/x-plist",
                "application/json", "application/octet-stream", "application/x-protobuf",
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
        #expect(run.received("/v1/messages").first == "GET /v1/messages?lang=en&client=linux&version=1.2")
        // The second adapter of requests sees what the first has done.
        #expect(run.server.requests.first { $0.path == "/v1/messages" }?["X-Signature"] == "GET home")
    }

    @Test func `a custom request ignores base, prefix, parameters and adapters`() throws {
        let custom = try #require(run.server.requests.first { $0.method == "OPTIONS" })

        #expect(custom.target == "/status" && custom["X-App"] == nil)
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
