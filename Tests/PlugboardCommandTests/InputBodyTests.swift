import Foundation
import TestSupport
import Testing

/// Bodies from standard input without an option that names it, as for HTTPie.
struct InputBodyTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer.responding { ServerResponse(body: "\($0.method) \($0.text)") } }

    @Test(arguments: ["post", "put", "patch"])
    func `a pipe is the body, as JSON`(verb: String) async throws {
        let outcome = try await Command.run(verb, server.url(), input: #"{"a": 1}"#)

        #expect(outcome.stdout == #"\#(verb.uppercased()) {"a": 1}"#, "\(outcome.stderr)")
        #expect(server.requests.first?["Content-Type"] == "application/json")
    }

    @Test func `a file is the body of each request`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("body", "[]")

        let outcome = try await Command.shell(
            #""$plugboard" post "$url" "$url" < "$file""#, ["url": server.url(), "file": file])

        #expect(outcome.stdout == "POST []POST []", "\(outcome.stderr)")
    }

    @Test func `the rest of a file that a loop reads is no body`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("list", "one\ntwo\n")

        let outcome = try await Command.shell(
            #"while read -r line; do "$plugboard" post "$url"; done < "$file""#, ["url": server.url(), "file": file])

        #expect(outcome.stdout == "POST POST ", "\(outcome.stderr)")
    }

    @Test(arguments: [["--data-binary", "@-"], ["--json", "-"], ["@-"]])
    func `a pipe that an option names is the body of each request`(words: [String]) async throws {
        let outcome = try await Command.running(["post", server.url(), server.url()] + words, input: "1")

        #expect(outcome.stdout == "POST 1POST 1", "\(outcome.stderr)")
    }

    @Test(arguments: ["f=@-", "f=<-"])
    func `a pipe in a form of curl is sent again after a redirect and a failure`(part: String) async throws {
        let count = Locked(0)
        let server = try LoopbackServer.responding { request in
            let number = count.withLock { number in
                number += 1
                return number
            }
            if number == 1 { return ServerResponse(status: 307, fields: [("Location", "/other")]) }
            return ServerResponse(status: number == 2 ? 503 : 200)
        }

        let outcome = try await Command.run(
            "curl", "-sL", "--retry", "1", "--retry-delay", "1", "-F", part, server.url(), input: "piped")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.map(\.path) == ["/", "/other", "/"])
        #expect(server.requests.allSatisfy { $0.text.contains("\r\n\r\npiped\r\n") })
    }

    @Test(arguments: ["-H", "-w", "--url-query"])
    func `standard input that another option reads is no body`(option: String) async throws {
        let outcome = try await Command.run("post", server.url(), option, "@-", input: "X-A: 1")

        #expect(outcome.status == 0 && outcome.stdout.hasPrefix("POST "), "\(outcome.stderr)")
        #expect(server.requests.map(\.text) == [""])
    }

    @Test(arguments: [
        ["get"], ["delete"], ["post", "--ignore-stdin"], ["post", "-d", ""], ["post", "-G"], ["post", "-I"],
        ["post", "-X", "DELETE"], ["get", "-X", "POST"],
    ])
    func `other standard input is left alone`(words: [String]) async throws {
        let outcome = try await Command.running(words + [server.url()], input: "input")

        #expect(outcome.status == 0 && !outcome.stdout.contains("input"), "\(outcome.stdout)\(outcome.stderr)")
        #expect(server.requests.map(\.text) == [""])
    }

    @Test func `an empty standard input is no body`() async throws {
        let outcome = try await Command.run("post", server.url(), input: "")

        #expect(outcome.status == 0 && server.requests.first?["Content-Type"] == nil, "\(outcome.stderr)")
    }

    @Test func `a pipe that stays open does not stop verbs without a body`() async throws {
        let folder = try TemporaryFolder()

        // The shell keeps the pipe open for writing.
        let outcome = try await Command.shell(
            #"mkfifo "$pipe"; exec 3<>"$pipe"; "$plugboard" get "$url" <&3; "$plugboard" post "$url" --json 1 <&3"#,
            ["pipe": folder.file("pipe"), "url": server.url()])

        #expect(outcome.stdout == "GET POST 1", "\(outcome.stderr)")
    }

    @Test(arguments: [
        ("post", "--data-binary @-"), ("post", "--json -"), ("post", "-F f=@-"), ("post", "@-"), ("explain", "-d -"),
        ("post", "--data-binary @- http://a.test/"),
    ])
    func `a request that is only printed does not read a pipe`(verb: String, options: String) async throws {
        let folder = try TemporaryFolder()

        // The shell keeps the pipe open for writing.
        let outcome = try await Command.shell(
            #"mkfifo "$pipe"; exec 3<>"$pipe"; "$plugboard" \#(verb) "$url" \#(options) --print-curl <&3"#,
            ["pipe": folder.file("pipe"), "url": server.url()])

        #expect(outcome.status == 0 && outcome.stdout.contains("@-"), "\(outcome.stderr)")
    }

    @Test(.enabled(if: Command.hasTerminals))
    func `who waits for a body says so on a terminal`() async throws {
        let folder = try TemporaryFolder()

        // The last writer ends when the note has come.
        let outcome = try await Command.shell(
            #"""
            mkfifo "$pipe"; script -qefc '"$plugboard" post "$url" <"$pipe"' "$notes" >"$folder/out" & exec 3>"$pipe"
            until grep -q 'awaited on standard input; --ignore-stdin' "$notes"; do :; done
            echo 1 >&3; exec 3>&-; wait; cat "$notes"
            """#,
            ["folder": folder.path, "pipe": folder.file("pipe"), "notes": folder.file("notes"), "url": server.url()])

        #expect(outcome.stdout.contains("POST 1"), "\(outcome.stdout)\(outcome.stderr)")
    }
}
