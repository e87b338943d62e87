import TestSupport
import Testing

struct HelpTests {
    private static let verbs = [
        ["get"], ["head"], ["post"], ["put"], ["patch"], ["delete"], ["request"], ["exec"], ["config", "check"],
        ["plugins", "list"], ["plugins", "inspect"], ["plugins", "order"], ["plugins", "new"], ["plugins", "check"],
        ["plugins", "sdk"], ["explain"],
    ]

    /// The lines of a verb's help on a terminal with this many columns.
    private func help(_ verb: [String], columns: Int) async throws -> [String] {
        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard")] + verb + ["--help"], environment: ["COLUMNS": "\(columns)"])
        return outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    @Test(arguments: [[], ["config"], ["plugins"], ["a-plugin"]] + verbs)
    func `help fits a terminal of 80 columns as it was written`(verb: [String]) async throws {
        let narrow = try await help(verb, columns: 80)
        let wide = try await help(verb, columns: 400)

        #expect(narrow.filter { $0.count > 80 } == [])
        // What stands in front of the usage is laid out by hand: nothing of it may have to be broken.
        #expect(narrow.prefix { !$0.hasPrefix("USAGE:") } == wide.prefix { !$0.hasPrefix("USAGE:") })
        #expect(narrow.contains { $0.hasPrefix("USAGE:") })
    }

    @Test(arguments: [[], ["config"], ["plugins"], ["a-plugin"]] + verbs)
    func `no word or two are left over for a line of their own`(verb: [String]) async throws {
        let lines = try await help(verb, columns: 80)

        // The parser puts what an option does behind 26 columns.
        let column = String(repeating: " ", count: 26)
        let strays = zip(lines, lines.dropFirst()).filter { above, line in
            let isContinued = above.count > 26 && above.dropFirst(25).first == " "
            return line.hasPrefix(column) && isContinued && line.split(separator: " ").count < 3
        }
        #expect(strays.map(\.1) == [])
    }

    @Test(arguments: verbs)
    func `every verb explains itself with examples`(verb: [String]) async throws {
        let arguments = [try Products.executable("plugboard")] + verb + ["--help"]

        let outcome = try await ProcessRunner.running(arguments)

        #expect(outcome.status == 0)
        #expect(outcome.stdout.contains("EXAMPLES:\n  "))
        #expect(outcome.stdout.contains("plugboard \(verb.joined(separator: " "))"))
        #expect(outcome.stderr.isEmpty)
    }

    @Test func `help lists the exit statuses`() async throws {
        let outcome = try await Command.run("--help")

        #expect(outcome.stdout.contains("\n   28  it took too long"))
        #expect(outcome.stdout.contains("\n  130  interrupted"))
    }

    @Test func `the version names the command, libcurl and what is held back because of it`() async throws {
        let outcome = try await Command.run("--version")

        #expect(outcome.status == 0)
        #expect(
            outcome.stdout.wholeMatch(of: /plugboard \d+\.\d+\.\d+\nlibcurl \d+\.\d+\.\d+\n(  [A-Z].*\.\n)*/) != nil,
            "\(outcome.stdout)")
    }

    @Test func `a misspelled verb is answered with the nearest`() async throws {
        let outcome = try await Command.run("gett", "http://127.0.0.1/")

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("Did you mean get?"))
        #expect(outcome.stdout.isEmpty)
    }

    @Test(arguments: [("gett", "get"), ("plugin", "plugins"), ("explian", "explain")])
    func `a lone word that is no verb is answered with the nearest`(word: String, near: String) async throws {
        let outcome = try await Command.run(word)

        #expect(outcome.status == 2)
        #expect(
            outcome.stderr == "plugboard: \(word) is neither a verb nor a plugin that is switched on. "
                + "Did you mean \(near)? See --help.\n")
    }

    @Test(arguments: [["cache"], ["cache", "stats"]])
    func `a plugin that is asked and not switched on is told how to be`(arguments: [String]) async throws {
        let outcome = try await ProcessRunner.running([try Products.executable("plugboard")] + arguments)

        #expect(outcome.status == 2)
        #expect(outcome.stderr.hasPrefix("plugboard: The plugin cache is not switched on."))
        #expect(outcome.stderr.contains("plugboard cache COMMAND --plugin cache"))
    }

    @Test(arguments: [[], ["--plugin", "redirect"], ["stats"]])
    func `a URL in place of a verb is answered with the verb that it lacks`(rest: [String]) async throws {
        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard"), "http://127.0.0.1:9/a?key=hidden"] + rest)

        #expect(outcome.status == 2)
        #expect(
            outcome.stderr == "plugboard: A URL needs a verb before it: plugboard get http://127.0.0.1:9/a?key=…\n")
    }

    @Test func `what the parser refuses begins with who speaks, as all errors do`() async throws {
        let outcome = try await Command.run("get", "http://127.0.0.1/", "--nonsense")

        #expect(outcome.stderr.hasPrefix("plugboard: Unknown option '--nonsense'"), "\(outcome.stderr)")
    }

    @Test(arguments: [
        ["get"], ["get", "http://127.0.0.1/", "--nonsense"], ["get", "http://127.0.0.1/", "--timeout", "soon"],
        ["get", "http://127.0.0.1/", "-H", "nothing"], ["get", "http://127.0.0.1/", "--connect-to", "a:1"],
        ["post", "http://127.0.0.1/", "-d", "a", "--json", "{}"], ["post", "http://127.0.0.1/", "--form", "a"],
        ["get", "http://127.0.0.1/", "--set", "absent.key=1"], ["get", "http://127.0.0.1/", "--attribute", "a.b=1"],
        ["config", "check"], ["plugins", "inspect", "absent"],
    ])
    func `what cannot be meant ends with 2`(arguments: [String]) async throws {
        let outcome = try await ProcessRunner.running([try Products.executable("plugboard")] + arguments)

        #expect(outcome.status == 2)
        #expect(!outcome.stderr.isEmpty)
        #expect(outcome.stdout.isEmpty)
    }
}
