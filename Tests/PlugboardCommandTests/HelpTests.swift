import TestSupport
import Testing

struct HelpTests {
    private static let verbs = [
        ["get"], ["head"], ["post"], ["put"], ["patch"], ["delete"], ["request"], ["curl"], ["download"], ["upload"],
        ["exec"], ["config", "path"], ["config", "show"], ["config", "init"], ["config", "edit"], ["config", "check"],
        ["session", "list"], ["session", "show"], ["session", "remove"],
        ["plugins", "list"], ["plugins", "inspect"], ["plugins", "order"], ["plugins", "new"], ["plugins", "check"],
        ["plugins", "sdk"], ["explain"], ["inspect"], ["call"], ["endpoints", "list"], ["endpoints", "show"],
    ]

    /// The lines of a verb's help on a terminal with this many columns.
    private func help(_ verb: [String], columns: Int) async throws -> [String] {
        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard")] + verb + ["--help"], environment: ["COLUMNS": "\(columns)"])
        return outcome.stdout.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    @Test(arguments: [[], ["config"], ["plugins"], ["endpoints"], ["a-plugin"]] + verbs)
    func `help fits a terminal of 80 columns without further line breaks`(verb: [String]) async throws {
        let narrow = try await help(verb, columns: 80)
        let wide = try await help(verb, columns: 400)

        #expect(narrow.filter { $0.count > 80 } == [])
        // The text before the usage has its own line breaks, so none of its lines may be too long.
        #expect(narrow.prefix { !$0.hasPrefix("USAGE:") } == wide.prefix { !$0.hasPrefix("USAGE:") })
        #expect(narrow.contains { $0.hasPrefix("USAGE:") })
    }

    @Test(arguments: [[], ["config"], ["plugins"], ["endpoints"], ["a-plugin"]] + verbs)
    func `no description ends with a line of one or two words`(verb: [String]) async throws {
        let lines = try await help(verb, columns: 80)

        // The parser puts the description of an option after 26 columns.
        let column = String(repeating: " ", count: 26)
        let strays = zip(lines, lines.dropFirst()).filter { above, line in
            let isContinued = above.count > 26 && above.dropFirst(25).first == " "
            return line.hasPrefix(column) && isContinued && line.split(separator: " ").count < 3
        }
        #expect(strays.map(\.1) == [])
    }

    @Test(arguments: verbs)
    func `the help of every verb has examples`(verb: [String]) async throws {
        let arguments = [try Products.executable("plugboard")] + verb + ["--help"]

        let outcome = try await ProcessRunner.running(arguments)

        #expect(outcome.status == 0)
        #expect(outcome.stdout.contains("EXAMPLES:\n  "))
        #expect(outcome.stdout.contains("plugboard \(verb.joined(separator: " "))"))
        #expect(outcome.stderr.isEmpty)
    }

    @Test func `help lists the exit statuses`() async throws {
        let outcome = try await Command.run("--help")

        #expect(outcome.stdout.contains("\n   28  a time limit was reached"))
        #expect(outcome.stdout.contains("\n  130  interrupted"))
    }

    @Test func `the version names the command, libcurl and its restrictions`() async throws {
        let outcome = try await Command.run("--version")

        #expect(outcome.status == 0)
        #expect(
            outcome.stdout.wholeMatch(of: /plugboard \d+\.\d+\.\d+\nlibcurl \d+\.\d+\.\d+\n(  [A-Z].*\.\n)*/) != nil,
            "\(outcome.stdout)")
    }

    @Test func `the error of a misspelled verb names the nearest verb`() async throws {
        let outcome = try await Command.run("gett", "http://127.0.0.1/")

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("Did you mean get?"))
        #expect(outcome.stdout.isEmpty)
    }

    @Test(arguments: [("gett", "get"), ("plugin", "plugins"), ("explian", "explain")])
    func `the error of a single unknown word names the nearest verb or plugin`(word: String, near: String) async throws
    {
        let outcome = try await Command.run(word)

        #expect(outcome.status == 2)
        #expect(
            outcome.stderr == "plugboard: \(word) is neither a verb nor a plugin that is enabled. "
                + "Did you mean \(near)? See --help.\n")
    }

    @Test(arguments: [
        (["plugins", "lst"], "list"), (["config", "chek", "a.json"], "check"), (["endpoints", "shwo"], "show"),
    ])
    func `the error of a misspelled verb of a verb names the nearest`(words: [String], near: String) async throws {
        let outcome = try await Command.running(words)

        #expect(outcome.status == 2 && outcome.stdout.isEmpty)
        #expect(
            outcome.stderr == "plugboard: There is no verb \(words[0]) \(words[1]). Did you mean \(near)? "
                + "See plugboard \(words[0]) --help.\n")
    }

    @Test(arguments: [["cache"], ["cache", "stats"]])
    func `the error of a command of a disabled plugin says how to enable the plugin`(arguments: [String]) async throws {
        let outcome = try await ProcessRunner.running([try Products.executable("plugboard")] + arguments)

        #expect(outcome.status == 2)
        #expect(outcome.stderr.hasPrefix("plugboard: The plugin cache is not enabled."))
        #expect(outcome.stderr.contains("plugboard cache COMMAND --plugin cache"))
    }

    @Test(arguments: [[], ["--plugin", "redirect"], ["stats"]])
    func `the error of a URL without a verb names the verb`(rest: [String]) async throws {
        let outcome = try await ProcessRunner.running(
            [try Products.executable("plugboard"), "http://127.0.0.1:9/a?key=hidden"] + rest)

        #expect(outcome.status == 2)
        #expect(
            outcome.stderr == "plugboard: A URL needs a verb before it: plugboard get http://127.0.0.1:9/a?key=…\n")
    }

    @Test(arguments: ["127.0.0.1:9/a", "localhost:8080", "example.com/a"])
    func `a URL is recognized without a scheme and without a verb`(url: String) async throws {
        let outcome = try await Command.run(url)

        #expect(outcome.status == 2)
        #expect(outcome.stderr == "plugboard: A URL needs a verb before it: plugboard get \(url)\n")
    }

    @Test(arguments: [
        (["nope"], "There is no help for nope. See"), (["gett"], "Did you mean get?"),
        (["plugins", "chek"], "There is no help for plugins chek. Did you mean check?"),
        (["get", "nope"], "There is no help for get nope."),
    ])
    func `help for a verb that does not exist is an error`(words: [String], text: String) async throws {
        let outcome = try await ProcessRunner.running([try Products.executable("plugboard"), "help"] + words)

        #expect(outcome.status == 2 && outcome.stdout.isEmpty)
        #expect(outcome.stderr.contains(text), "\(outcome.stderr)")
    }

    @Test(arguments: [[], ["get"], ["plugins", "check"]])
    func `help for a verb is that verb's help`(words: [String]) async throws {
        let plugboard = try Products.executable("plugboard")
        let outcome = try await ProcessRunner.running([plugboard, "help"] + words)

        #expect(outcome.status == 0 && outcome.stderr.isEmpty)
        #expect(outcome.stdout == (try await ProcessRunner.running([plugboard] + words + ["--help"]).stdout))
    }

    @Test func `help for a plugin shows its settings, attributes and commands`() async throws {
        let help = try await Command.run("help", "cache")

        #expect(help.status == 0 && help.stderr.isEmpty)
        #expect(help.stdout == (try await Command.run("plugins", "inspect", "cache")).stdout)
        #expect(help.stdout.contains("\nSettings\n") && help.stdout.contains("\nCommands\n"))
    }

    @Test func `an error of the parser begins with the name of the command, like all errors`() async throws {
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
    func `a command line that contradicts itself ends with 2`(arguments: [String]) async throws {
        let outcome = try await ProcessRunner.running([try Products.executable("plugboard")] + arguments)

        #expect(outcome.status == 2)
        #expect(!outcome.stderr.isEmpty)
        #expect(outcome.stdout.isEmpty)
    }
}
