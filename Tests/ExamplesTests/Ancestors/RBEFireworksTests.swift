import TestSupport
import Testing

/// `Examples/Ancestors/RBEFireworks`.
struct RBEFireworksTests {
    private static let film = RangeServer.content(10_000)
    private let run: AncestorRun

    init() async throws {
        run = try await AncestorRun(
            "RBEFireworks", arguments: { [$0.path] + (try AncestorRun.secureServers()) }
        ) { request, number in
            switch request.target {
            case "/api/news?page=1": .json([["id": 1, "title": "Rockets"], ["id": 2, "title": "Sparks"]])
            case "/api/news?page=2": .json([["id": 3, "title": "Smoke"]])
            // The connection breaks after half of the image.
            case "/cdn/images/logo.png" where number == 1:
                ServerResponse(
                    fields: [("ETag", "\"1\""), ("Content-Length", "8"), ("Connection", "close")], body: "PNG ")
            case "/cdn/images/logo.png":
                ServerResponse(
                    status: 206, fields: [("ETag", "\"1\""), ("Content-Range", "bytes 4-7/8")], body: "logo")
            // A server without validators, whose first connection breaks.
            case "/api/films/launch.mp4" where number == 1:
                ServerResponse(
                    fields: [("Content-Length", "10000"), ("Connection", "close")], body: Array(Self.film[..<6000]))
            case "/api/films/launch.mp4":
                ServerResponse(
                    status: 206, fields: [("Content-Range", "bytes 4976-9999/10000")], body: Array(Self.film[4976...]))
            case "/cdn/images/a.png": ServerResponse(body: "a")
            case "/cdn/images/b.png": ServerResponse(body: "bb")
            case "/cdn/images/c.png": ServerResponse(body: "ccc")
            case "/api/register": .json(["userId": request.text.contains("nick=old") ? 3 : 1])
            case "/api/users/1": .json(["nick": "ada", "level": 1, "badges": [["name": "first"]]])
            case "/api/users/2": .json(["nick": "bob", "level": 2, "badges": [["name": "first"], ["title": "?"]]])
            case "/api/users/3": .json(["nick": "cleo", "level": 9, "badges": []])
            case "/api/users/1/welcome": ServerResponse(status: 204)
            case "/api/themes/json": .json(["name": "dark"])
            case "/api/themes/plist":
                ServerResponse(
                    fields: [("Content-Type", "application/x-plist")],
                    body: "<plist version=\"1.0\"><dict><key>name</key><string>light</string></dict></plist>")
            case "/api/themes/xml":
                ServerResponse(
                    fields: [("Content-Type", "application/xml")], body: "<theme><name>plain</name></theme>")
            case "/api/themes/text", "/options":
                ServerResponse(fields: [("Content-Type", "text/plain")], body: "fine")
            case "/api/echo", "/api/echo?part=2":
                ServerResponse(fields: [("Content-Type", "text/plain")], body: request.text)
            case "/api/account":
                ServerResponse(
                    fields: [("Content-Type", "text/plain")],
                    body: "\(request["Authorization"] ?? "none"), \(request["Cookie"] ?? "no cookie")")
            case "/api/photo":
                ServerResponse(fields: [("Content-Type", "text/plain")], body: "\(request.body.count) bytes")
            case "/any": ServerResponse(fields: [("X-Method", request.method)])
            case "/api/save": ServerResponse(status: 204)
            case "/api/themes/wrapped": .json(["data": ["name": "wrapped"]])
            case "/api/echo?draft=true":
                ServerResponse(
                    fields: [("Content-Type", "text/plain")],
                    body: "\(request.target) \(request.text)")
            case _ where request.path.hasSuffix("/general"):
                ServerResponse(
                    fields: [("Content-Type", "text/plain")],
                    body: """
                        \(request.target), app \(request["X-App"] ?? "none"), screen \(request["X-Screen"] ?? "none")
                        """)
            case _ where request.path == "/api/refused": ServerResponse(fields: [("X-Refusal", "closed")])
            case _ where request.path == "/api/nothing": ServerResponse(fields: [("X-Nothing-New", "1")])
            case "/api/session": ServerResponse(fields: [("Set-Cookie", "session=7; Path=/")])
            default: .usual(request, number) ?? ServerResponse(status: 404)
            }
        }
    }

    @Test func `the whole output is this`() {
        #expect(
            run.outcome.stdout == #"""
                news: ["Rockets", "Sparks"], again 2
                downloaded: 8 bytes
                film: body.cut
                so far: 6000 bytes
                film: 10000 bytes, not on the disk: true
                user: ada, level 1
                refused: validator.invalid: The response's body does not match its schema. /badges/1: The \#
                property "name" is missing. (/properties/badges/items/required)
                no newcomer: validator.invalid
                reader: fine
                reader: response.status
                show: Loading news…
                loaded: 1
                hide: Loading news…
                on the screen's queue: ["Smoke"]
                the screen is released
                on a queue: 1
                on the main actor: 1
                on none: 1
                save: disabled, Saving, the user waits
                save: enabled
                list: refreshing, Reloading
                list: refreshed
                wheel: spinning, Reloading
                wheel: at rest
                accessory: willStart
                accessory: suspended
                accessory: resumed
                accessory: cancelled
                accessory: willComplete
                accessory: didComplete
                batch: [1, 2, 3] bytes
                one by one: [0, 1, 2, 3]
                batch failed: response.status, status 404
                slow batch has cancelled
                chain of new: ["account", "user", "welcome"]
                chain of old: ["account", "user"]
                chain with more: ["news", "more news"]
                chain failed at: user
                slow chain has cancelled
                general: /api/general?lang=en&page=1&model=3&beta=false&first&second, app news, screen home
                own: /general?page=1, app none, screen none
                options: fine
                refused: Refused: closed.
                refused is complete
                refused has failed
                refused: failed
                limited: Too many requests.
                limited is complete
                limited has failed
                limited: failed
                nothing: ignored
                logout has failed
                logout: failed
                theme of json: dark
                theme of plist: light
                theme of xml: plain
                text: fine
                bytes: 4
                text: response.type
                theme by a codec: as JSON
                in an envelope: wrapped
                badge: gold
                headlines: ["1. Rockets", "2. Sparks"]
                sent as form: name=gr%C3%BCn+%26+blau
                sent as json: {"name":"grün & blau"}
                sent as plist: </plist>
                sent with a query: /api/echo?draft=true {"tags":["new","old"]}
                sent as a list: ["new","old"]
                sent as bytes: hi
                weather: GET /weather/said
                any method: HEAD
                any method: PATCH
                any method: DELETE
                any method: REPORT
                account: Basic YWRhOnNlY3JldA==, no cookie, screen account
                with cookies: none, theme=dark
                hasty: timeout.exchange
                GET \#(run.server.url())api/account
                attributes: authentication.password, authentication.scheme, authentication.user, cookies.send, cookies.store
                options: timeout 30.0 seconds
                one: suspended
                one: running
                suspended: 5, resumed: 5
                cancelled: 1
                cancelled: 1
                cancelled: 1
                cancelled: 1
                cancelled: 1
                states: ["cancelled", "cancelled", "cancelled", "cancelled", "cancelled"]
                finished: succeeded, cancelled
                fresh: response 1
                fresh: response 1
                tagged: response 1
                tagged: response 1
                version 1: response 1
                version 1: response 1
                version 2: response 2
                stored: true
                in the file: true
                stored: false
                in memory: 2 of 3
                cookies of the server: session=7
                with mine: session=7; theme=dark
                removed: 1, left: ["theme"]
                cookies of the first session: user=ada
                cookies of the second session: user=ada
                uploaded: 100000 of 100000; 100000 bytes
                downloaded: 12 of 12

                """# + (NginxServer.isAvailable ? RBEFireworksTests.secure : ""))
    }

    private static let secure = """
        pinned: 200
        pinned: transport.tls
        not valid: transport.tls.certificate
        not valid: 200

        """

    @Test func `a request with a cache time is sent once, with its parameters below the base`() {
        #expect(run.lines.first == #"news: ["Rockets", "Sparks"], again 2"#)
        #expect(run.received("/api/news") == ["GET /api/news?page=1", "GET /api/news?page=2", "GET /api/news?page=1"])
    }

    @Test func `a request of the CDN is downloaded to its path, and goes on where it broke`() throws {
        let ranges = run.server.requests.filter { $0.path == "/cdn/images/logo.png" }.map { $0["Range"] }

        #expect(run.lines.contains("downloaded: 8 bytes"))
        #expect(ranges == [nil, "bytes=4-7"] || ranges == [nil, "bytes=4-"])
        #expect(try run.folder.read("logo.png") == Array("PNG logo".utf8))
    }

    @Test func `a download without validators goes on, to where it can be written`() throws {
        let ranges = run.server.requests.filter { $0.path == "/api/films/launch.mp4" }.map { $0["Range"] }

        #expect(ranges == [nil, "bytes=4976-"])
        #expect(try run.folder.read("launch.mp4") == Self.film)
    }

    @Test func `a request has a server and fields of its own, and another ignores all that is general`() throws {
        let weather = try #require(run.server.requests.first { $0.path == "/weather/said" })
        let options = try #require(run.server.requests.first { $0.method == "OPTIONS" })

        #expect(weather["X-Units"] == "metric")
        #expect(options.target == "/options" && options["X-App"] == nil)
    }

    @Test func `a response is stored as its server says, and confirmed by its validator`() {
        func requests(_ path: String) -> [ReceivedRequest] { run.server.requests.filter { $0.target == path } }

        #expect(requests("/api/fresh").count == 1)
        #expect(requests("/api/tagged").map { $0["If-None-Match"] } == [nil, "\"1\""])
        #expect(requests("/api/plain").count == 2)
    }

    @Test func `a message of Protocol Buffers and a property list are sent`() throws {
        let badge = try #require(run.server.requests.first { $0.path == "/api/mirror" })
        let list = try #require(run.received("/api/echo").first { $0.contains("<plist") })

        #expect(badge["Content-Type"] == "application/x-protobuf" && badge.body.count == 6)
        #expect(list.contains("<string>grün &amp; blau</string>"))
    }

    @Test func `a response of another shape is refused, with the path of the value`() {
        #expect(run.lines.contains("user: ada, level 1"))
        #expect(
            run.lines.contains { $0.hasPrefix("refused: validator.invalid: ") && $0.contains("/badges/1") })
    }

    @Test func `a loading message is shown before the request and hidden at its end`() throws {
        let first = try #require(run.lines.firstIndex(of: "show: Loading news…"))

        #expect(run.lines[first...].prefix(3) == ["show: Loading news…", "loaded: 1", "hide: Loading news…"])
    }

    @Test func `a batch brings all values in order, or the failure of one`() throws {
        #expect(run.lines.contains("batch: [1, 2, 3] bytes"))
        #expect(run.lines.contains("batch failed: response.status, status 404"))
        #expect(try run.folder.read("b.png") == Array("bb".utf8))
    }

    @Test func `a chain uses the responses before, and breaks from inside`() {
        #expect(run.lines.contains(#"chain of new: ["account", "user", "welcome"]"#))
        #expect(run.lines.contains(#"chain of old: ["account", "user"]"#))
        #expect(
            run.received("/api/register") == [
                "POST /api/register nick=new&password=secret", "POST /api/register nick=old&password=secret",
            ])
        #expect(
            run.received("/api/users/").dropFirst(3) == [
                "GET /api/users/1", "POST /api/users/1/welcome", "GET /api/users/3",
                "GET /api/users/404",
            ])
    }

    @Test func `the program ends without an error`() {
        #expect(run.outcome.status == 0, "\(run.outcome.stderr)")
        #expect(run.outcome.stderr == "")
    }
}
