import Foundation
import PlugboardJSON
import TestSupport
import Testing

struct ExecTests {
    func error(_ reply: JSONValue?) -> String? { reply?["error"]?["kind"]?.stringValue }

    func body(_ reply: JSONValue?) -> [UInt8]? {
        reply?["body_b64"]?.stringValue.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }

    @Test func `a line is a request, and its reply has the whole response`() async throws {
        let server = try LoopbackServer(.raw("HTTP/1.1 201 Made\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 2\r\n\r\nok"))

        let reply = try await Command.exec(["url": .string(server.url("/p#fragment")), "method": "PATCH"])

        #expect(reply["status"] == 201 && reply["reason"] == "Made")
        #expect(reply["headers"] == [["X-A", "1"], ["X-A", "2"], ["Content-Length", "2"]])
        #expect(reply["body_b64"] == "b2s=" && reply["http_version"] == "1.1" && reply["attempts"] == 1)
        #expect(server.requests.last?.method == "PATCH" && server.requests.last?.target == "/p")
    }

    @Test func `plugins store their data in the folder of --state`() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer.responding { request in
            ServerResponse(fields: [("Set-Cookie", "a=1; Max-Age=60")], body: request["Cookie"] ?? "none")
        }
        let arguments = ["--plugin", "cookies", "--set", "cookies.persistence=file", "--state", folder.file("state")]
        for text in ["none", "a=1"] {
            let reply = try await Command.exec(["url": .string(server.url())], arguments)

            #expect(body(reply) == Array(text.utf8))
        }
        #expect(FileManager.default.fileExists(atPath: folder.file("state/cookies")))
    }

    @Test func `bodies of any bytes and length travel in base 64, both ways`() async throws {
        let server = try LoopbackServer.responding { ServerResponse(body: $0.body) }
        let bodies = (0...5).map { count in (0..<count).map { UInt8(255 - $0) } } + [(0...255).map { UInt8($0) }]
        let lines = bodies.enumerated().map { index, bytes in
            #"{"id":"\#(index)","method":"POST","url":"\#(server.url())","body_b64":"\#(Data(bytes).base64EncodedString())"}"#
        }

        let replies = try await Command.exec(lines)

        for (index, bytes) in bodies.enumerated() { #expect(body(replies["\(index)"]) == bytes) }
    }

    @Test(arguments: ["YQ", "YQ=", "YR==", "YQ==YQ==", "Y Q=", "YQ==\\n", "_w==", "="])
    func `base 64 that is not strictly encoded is invalid`(text: String) async throws {
        let replies = try await Command.exec([#"{"id":"1","url":"http://127.0.0.1:1/","body_b64":"\#(text)"}"#])

        #expect(error(replies["1"]) == "invalid")
    }

    @Test func `bytes of fields are characters of the same number, in requests and replies`() async throws {
        let value = String(String.UnicodeScalarView((0x80...0xFF).map { Unicode.Scalar(UInt8($0)) }))
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            let echo = [UInt8](latin1: request["X-Bytes"] ?? "")
            try connection.write(
                Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Bytes: ".utf8) + echo + [13, 10, 13, 10])
        }

        let reply = try await Command.exec([
            "url": .string(server.url()),
            "headers": [["X-Bytes", .string(value)], ["x-twice", "1"], ["X-Twice", "2"]],
        ])

        #expect(reply["headers"]?[1] == ["X-Bytes", .string(value)])
        let fields = try #require(server.requests.last).fields.filter { $0.name.lowercased() == "x-twice" }
        #expect(fields.map(\.name) == ["x-twice", "X-Twice"] && fields.map(\.value) == ["1", "2"])
    }

    @Test func `characters beyond U+00FF and line breaks are invalid in fields`() async throws {
        let replies = try await Command.exec([
            #"{"id":"1","url":"http://127.0.0.1:1/","headers":[["X","–"]]}"#,
            #"{"id":"2","url":"http://127.0.0.1:1/","headers":[["X","a\r\nY: b"]]}"#,
            #"{"id":"3","url":"http://127.0.0.1:1/","headers":[["X"]]}"#,
            #"{"id":"4","url":"http://127.0.0.1:1/","timeout_ms":"1"}"#, #"{"id":"5"}"#,
        ])

        for id in 1...5 { #expect(error(replies["\(id)"]) == "invalid") }
    }

    @Test func `many lines are executed at once`() async throws {
        let gate = Gate()
        let server = try LoopbackServer { connection in
            let request = try connection.readRequest()
            // Each response waits for the requests of all others.
            gate.admit()
            try connection.wait(for: gate, count: 20)
            try connection.respond(body: request.target)
        }
        let lines = (1...20).map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# }

        let replies = try await Command.exec(lines)

        for id in 1...20 { #expect(body(replies["\(id)"]) == Array("/\(id)".utf8)) }
    }

    @Test func `attempts counts a request that the kernel has sent again by itself`() async throws {
        let server = try LoopbackServer(.closedInsteadOfSecondResponse())
        defer { server.stop() }
        let folder = try TemporaryFolder("exec")
        // One connection, so that the second line uses the connection of the first.
        let file = try folder.write("plugboard.json", #"{ "kernel": { "connections": 1 } }"#)

        let replies = try await Command.exec(
            ["1", "2"].map { #"{"id":"\#($0)","url":"\#(server.url("/\($0)"))"}"# }, "--config", file)

        #expect(replies.values.map { $0["attempts"]?.intValue ?? 0 }.sorted() == [1, 2], "\(replies)")
    }

    @Test func `a file of certificates that does not exist is told at once`() async throws {
        let reply = try await Command.exec(["url": "https://127.0.0.1:1/", "ca_file": "/absent.pem"])

        #expect(error(reply) == "invalid")
        #expect(reply["error"]?["message"] == "ca_file: /absent.pem does not exist.")
    }

    @Test func `lines that are not objects are unsupported, and the process goes on`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") }

        let outcome = try await Command.run(
            "exec",
            input: "nonsense\n[1]\n\n{\"id\":\"a\",\"op\":\"dance\"}\n{\"id\":\"b\",\"url\":\"\(server.url())\"}")

        let replies = try outcome.stdout.split(separator: "\n").map { try JSONParser.parse(String($0)) }
        #expect(outcome.status == 0)
        #expect(replies.count == 5)
        #expect(replies.filter { $0["id"] == .null && error($0) == "unsupported" }.count == 3)
        #expect(error(replies.first { $0["id"] == "a" }) == "unsupported")
        #expect(body(replies.first { $0["id"] == "b" }) == Array("ok".utf8))
    }

    @Test(arguments: [
        (#""timeoutms":1"#, "timeoutms is not a known field. Did you mean timeout_ms?"),
        (#""zzzzzzzzzz":null"#, "zzzzzzzzzz is not a known field. Known are id, op, method, url,"),
        (#""retry":{"delayms":1}"#, "retry.delayms is not a known field. Did you mean retry.delay_ms?"),
        (#""retry":{"max":-1}"#, "retry.max must be a whole number that is not negative"),
        (#""retry":{"delay_ms":"1"}"#, "retry.delay_ms must be a whole number of milliseconds, 0 or more"),
        (#""retry":5"#, "retry must be an object"), (#""download":{"file":1}"#, "download.file must be a string"),
        (#""download":{"path":"x"}"#, "download.path is not a known field"),
        (#""download":{}"#, "download.file is missing"),
        (#""validate":{"formats":1}"#, "validate.formats must be true or false"),
        (#""validate":{"shema":{}}"#, "Did you mean validate.schema?"), (#""method":5"#, "method must be a string"),
        (#""headers":{}"#, "headers must be an array of [name, value]"), (#""body_b64":1"#, "body_b64 must be base 64"),
        (#""redirect":true"#, "redirect must be one of follow, manual"), (#""cache":"no"#, "cache must be one of"),
        (#""max_redirects":1.5"#, "max_redirects must be a whole number"),
        (#""decompress":"true""#, "decompress must be true"),
        (#""timeout_ms":0"#, "timeout_ms must be a whole number of milliseconds, 1 or more"),
        (#""ca_file":[]"#, "ca_file must be a string"),
        (#""max_body_bytes":"1""#, "max_body_bytes must be a whole number"),
        (#""connect_to":[]"#, "connect_to must be an object"), (#""op":5"#, "op must be a string"),
        (#""op":"reset""#, "url is not a known field"), (#""op":"psl","hosts":"a""#, "is not a known field"),
    ])
    func `a field that is unknown or of a wrong type is invalid, and named`(field: String, text: String) async throws {
        let closed = field.hasSuffix(#""no"#) ? field + "\"" : field
        let reply = try await Command.exec([#"{"id":"1","url":"http://127.0.0.1:1/",\#(closed)}"#])["1"]

        #expect(error(reply) == "invalid")
        let message = try #require(reply?["error"]?["message"]?.stringValue)
        #expect(message.contains(text), "\(message)")
    }

    @Test(arguments: [("psl", "host"), ("cookie-date", "input"), ("exec", "url")])
    func `a field that an op needs and a line lacks is invalid`(op: String, field: String) async throws {
        let reply = try await Command.exec([#"{"id":"1","op":"\#(op)"}"#])["1"]

        #expect(error(reply) == "invalid")
        #expect(reply?["error"]?["message"]?.stringValue?.contains("\(field) is missing") == true)
    }

    @Test func `null counts as absent`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "ok") }

        let reply = try await Command.exec([
            "url": .string(server.url()), "op": .null, "timeout_ms": .null, "retry": .null, "validate": .null,
            "download": .null, "headers": .null,
        ])

        #expect(body(reply) == Array("ok".utf8))
    }

    @Test(arguments: [("INT", 130), ("TERM", 130)])
    func `after a signal, requests in progress get the reply aborted, and the process ends`(
        signal: String, status: Int32
    ) async throws {
        let server = try LoopbackServer(.silenceBeforeHead())
        let folder = try TemporaryFolder()
        async let outcome = Command.shell(
            #"""
            mkfifo "$folder/in"; exec 3<>"$folder/in"; echo "$line" >&3
            "$plugboard" exec <&3 & child=$!; mkfifo "$folder/go"; read go < "$folder/go"
            kill -$signal $child; wait $child
            """#,
            [
                "folder": folder.path, "signal": signal, "line": #"{"id":"1","url":"\#(server.url())"}"#,
            ])
        _ = try await server.requests(atLeast: 1)
        _ = try await ProcessRunner.running(["/bin/sh", "-c", "echo go > '\(folder.path)/go'"])

        let ended = try await outcome
        #expect(ended.status == status)
        let reply = try JSONParser.parse(ended.stdout)
        #expect(reply["id"] == "1" && error(reply) == "aborted")
    }

    @Test func `a field for a missing plugin is unsupported`() async throws {
        let replies = try await Command.exec([
            #"{"id":"1","url":"http://127.0.0.1:1/","cache":"no-cache","retry":{"max":1}}"#,
            #"{"id":"2","url":"http://127.0.0.1:1/","download":{"file":"/absent/x","resume":true}}"#,
            #"{"id":"3","op":"psl","host":"a.test"}"#,
        ])

        for id in 1...3 { #expect(error(replies["\(id)"]) == "unsupported") }
    }

    @Test func `a response is checked against the schema of its line`() async throws {
        let server = try LoopbackServer.responding { _ in
            ServerResponse(fields: [("Content-Type", "application/json")], body: #"{"id": "x"}"#)
        }
        let replies = try await Command.exec([
            #"{"id":"0","op":"schemas","documents":{"https://x.test/id":{"type":"integer"}}}"#,
            #"{"id":"1","op":"validate","schema":{"type":"integer"},"instances":[1,1.0,"1",100000000000000000000]}"#,
            #"{"id":"2","op":"validate","schema":{"type":1},"instances":[]}"#,
            #"{"id":"3","url":"\#(server.url())","validate":{"schema":{"required":["id"]}}}"#,
            #"{"id":"4","url":"\#(server.url())","validate":{"schema":{"properties":{"id":{"type":"null"}}}}}"#,
            #"{"id":"5","op":"validate","schema":{"format":"ipv4"},"formats":true,"instances":["1.2.3.4","1"]}"#,
        ])

        #expect(replies["0"]?["ok"] == true)
        #expect(replies["1"]?["valid"] == [true, true, false, true])
        #expect(error(replies["2"]) == "invalid")
        #expect(replies["3"]?["status"] == 200)
        #expect(error(replies["4"]) == "schema")
        #expect(replies["5"]?["valid"] == [true, false])
    }

    @Test func `a reset gets a reply`() async throws {
        let replies = try await Command.exec([#"{"id":"1","op":"reset"}"#])

        #expect(replies["1"] == ["id": "1", "ok": true])
    }

    @Test func `interim heads come with the reply`() async throws {
        let hints = ServerResponse(status: 103, fields: [("Link", "</a>")], body: [])
        let server = try LoopbackServer(.interim([hints], then: ServerResponse(body: "ok")))

        let reply = try await Command.exec(["url": .string(server.url())])

        #expect(reply["status"] == 200)
        #expect(reply["interim"]?[0]?["status"] == 103)
        #expect(reply["interim"]?[0]?["headers"]?.arrayValue?.contains(["Link", "</a>"]) == true)
        #expect(reply["interim"]?.arrayValue?.count == 1)
    }

    @Test func `a body beyond its limit is an error, and the reply has the head`() async throws {
        let server = try LoopbackServer(.endlessBody())

        let reply = try await Command.exec(["url": .string(server.url()), "max_body_bytes": 1000])

        #expect(error(reply) == "limit" && reply["status"] == 200)
    }

    @Test func `a body that a reply would have to keep in memory has a limit by default`() async throws {
        let server = try LoopbackServer(.endlessBody())

        let reply = try await Command.exec(["url": .string(server.url())])

        #expect(error(reply) == "limit" && reply["status"] == 200)
    }

    @Test func `an incomplete body is an error`() async throws {
        let server = try LoopbackServer(.chunkedCutShort(["abc"]))

        let reply = try await Command.exec(["url": .string(server.url())])

        #expect(error(reply) == "body")
    }
}
