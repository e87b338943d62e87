import TestSupport
import Testing

/// The command lines of the pages, compared with the help of their verbs, from which the manual is made, too.
struct CommandPageTests {
    /// The command lines in code of a page: of its shell blocks, and of its text where they begin with `plugboard`.
    private static func lines(of path: String) throws -> [String] {
        let page = try Document(path)
        let inline = page.lines.flatMap { line in
            line.matches(of: /`(plugboard [^`]+)`/).map { String($0.output.1) }
        }
        return (page.commands + inline).flatMap { $0.split(separator: "|").map(String.init) }
    }

    /// The verb and the options of a command line; nil for another command and for a command line of curl.
    private static func parts(of line: String) -> (verb: [String], options: [String])? {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
        guard words.count > 1, words[0] == "plugboard", words[1] != "curl" else { return nil }
        let verb = words.dropFirst().prefix(2).prefix { $0.allSatisfy { $0.isLetter && $0.isLowercase || $0 == "-" } }
        let groups: Set<String> = ["config", "endpoints", "plugins", "session"]
        let count = verb.first.map { groups.contains($0) } ?? false ? 2 : 1
        return (
            Array(verb.prefix { !$0.hasPrefix("-") }.prefix(count)),
            words.filter { $0.wholeMatch(of: /--?[A-Za-z#][A-Za-z0-9.#-]*/) != nil }
        )
    }

    @Test(arguments: [Pages.command, Pages.readme])
    func `every option of a command line is one of its verb`(page: String) async throws {
        var helps: [[String]: String] = [:]
        var count = 0
        for line in try CommandPageTests.lines(of: page) {
            guard let (verb, options) = CommandPageTests.parts(of: line), !options.isEmpty else { continue }
            let help: String
            if let known = helps[verb] {
                help = known
            } else {
                help = try await Repository.output(of: [try Products.executable("plugboard")] + verb + ["--help"])
                helps[verb] = help
            }
            for option in options where option != "--generate-completion-script" {
                // Short options can be joined: -sSL.
                let names = option.hasPrefix("--") ? [option] : option.dropFirst().map { "-\($0)" }
                for name in names {
                    #expect(help.contains(" \(name)") || help.contains("/\(name)"), "\(page): \(line): \(name)")
                    count += 1
                }
            }
        }
        #expect(count > (page == Pages.command ? 20 : 0))
    }

    @Test func `every option of curl's that the page names as refused is refused with a reason`() async throws {
        for option in ["--digest", "--ntlm", "--negotiate", "--http3", "--hsts", "--doh-url"] {
            let outcome = try await ProcessRunner.running(
                [try Products.executable("plugboard"), "curl", option, "x", "http://127.0.0.1:1/"])

            #expect(outcome.status == 2 && outcome.stderr.contains("cannot be used"), "\(option): \(outcome.stderr)")
        }
    }

    @Test func `the commands and recipes of the page work`() async throws {
        let server = try LoopbackServer.responding { request in
            ServerResponse(fields: [("Content-Type", "application/json")], body: #"{"title":"Swift"}"#)
        }
        defer { server.stop() }
        let folder = try TemporaryFolder()
        for (name, text) in [
            ("password.txt", "secret"), ("token.txt", "Authorization: Bearer token"), ("topic.json", "{}"),
            ("topics.json", "{}"), ("topics.schema.json", #"{"type":"object"}"#),
            ("urls.txt", "\(server.url("/one"))\n\(server.url("/two"))\n"),
            (".netrc", "machine 127.0.0.1 login me password secret"),
            ("endpoints.json", try Repository.text("Examples/endpoints.json")),
        ] { try folder.write(name, text) }
        let page = try Document(Pages.command)
        let recipes = page.rows(under: "## Recipes").flatMap { row in
            row.matches(of: /`(plugboard [^`]+)`/).map { String($0.output.1) }
        }
        // EverydayTaskTests has a client certificate.
        let lines = page.commands + recipes.filter { !$0.contains("--cert ") }
        let program = try Products.executable("plugboard")
        let environment = [
            "HOME": folder.path, "XDG_CONFIG_HOME": folder.file("config"), "XDG_DATA_HOME": folder.file("data"),
            "XDG_STATE_HOME": folder.file("state"), "TOKEN": "token", "no_proxy": "*",
        ]

        #expect(lines.count > 20)
        for line in lines {
            let command = line.replacing("https://example.com/", with: server.url())
                .replacing("plugboard ", with: "'\(program)' ", maxReplacements: 1)
            let outcome = try await ProcessRunner.running(
                ["/bin/sh", "-c", command], environment: environment, folder: folder.path)
            #expect(outcome.status == 0, "\(line): \(outcome.stderr)")
        }
        #expect(server.requests.contains { $0["Authorization"] == "Basic bWU6c2VjcmV0" })
        #expect(try folder.read("files/two").count > 0)
    }
}
