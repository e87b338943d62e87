import ArgumentParser
import TestSupport
import Testing

@testable import PlugboardCommand

/// What errors say for options of other programs.
struct OptionHintTests {
    private static let helps = [
        GetVerb.helpMessage(columns: 400), DownloadVerb.helpMessage(columns: 400), UploadVerb.helpMessage(columns: 400),
    ]
    private static let help = helps[0] + helps[1]
    private static let wordsOfHelp = helps.map { Set($0.split { " ,\n".contains($0) }.map(String.init)) }
    private static let rows = OptionHints.table.flatMap { row in row.options.map { ($0, row.hint) } }

    @Test(arguments: rows)
    func `the error of an option of another program says what to write`(option: String, hint: String) throws {
        let line = OptionHints.line(
            of:
                "Error: Unknown option '\(option)=secret'. Did you mean '--x'?\nHelp: y\nUsage: plugboard get [<x>]\n  z"
        )

        #expect(line == "Unknown option '\(option)'. \(hint)")
    }

    @Test(arguments: rows)
    func `each hint is for an option that a verb does not have`(option: String, hint: String) {
        #expect(OptionHintTests.wordsOfHelp.contains { !$0.contains(option) }, "\(option)")
        // The parser takes several letters after one hyphen for several options.
        #expect(option.hasPrefix("--") || option.count == 2, "\(option)")
    }

    @Test(arguments: [
        (
            "Error: The value 'x' is wrong. Give one of:\n  - a\n  - b\nUsage: plugboard config check [<o>]",
            "The value 'x' is wrong. Give one of: - a - b. See plugboard config check --help."
        ),
        ("Error: Missing argument '<url>'\nHelp:  <url>  A URL.", "Missing argument '<url>'. See plugboard --help."),
        (
            "Error: Unknown option '--zz=secret'\nUsage: plugboard get <url>",
            "Unknown option '--zz'. See plugboard get --help."
        ),
        (
            "Error: The value 'secret' is invalid for '--retry <number>'\nHelp: y\nUsage: plugboard get <url>",
            "The value of --retry is invalid. See plugboard get --help."
        ),
        (
            "Error: The value 'secret' is invalid for '--a <b>'. Please provide one of 'c' and 'd'.\nUsage: plugboard get",
            "The value of --a is invalid. Please provide one of 'c' and 'd'. See plugboard get --help."
        ),
        (
            "Error: Unknown option '-L'\nUsage: plugboard config path",
            "Unknown option '-L'. See plugboard config path --help."
        ),
        (
            "Error: Unknown option '--no-insecure'. Did you mean '--insecure'?\nUsage: plugboard get <url>",
            "Unknown option '--no-insecure'. See plugboard get --help."
        ),
    ])
    func `a wrong command line has an error of one line`(message: String, line: String) {
        #expect(OptionHints.line(of: message) == line)
    }

    @Test(arguments: rows)
    func `the options that a hint names exist`(option: String, hint: String) {
        for word in hint.split(whereSeparator: { " ,.;'=".contains($0) }) where word.hasPrefix("-") && word.count > 1 {
            let spellings = ["\(word)", "\(word), ", "\(word)/", "\(word) <"]
            #expect(
                spellings.contains {
                    OptionHintTests.help.contains(" \($0)") || OptionHintTests.help.contains(",\($0)")
                }, "\(word)")
        }
        #expect(hint.hasSuffix("."))
    }

    @Test func `the error of -T beside upload names the order of its words`() async throws {
        let outcome = try await Command.run("upload", "-T", "file", "http://127.0.0.1:1/")

        #expect(outcome.status == 2 && outcome.stderr.contains("upload FILE URL"), "\(outcome.stderr)")
    }

    @Test(arguments: [["-sS", "http://127.0.0.1:1/"], ["--config", "file", "get", "http://127.0.0.1:1/"]])
    func `the error of an option before the verb says where options stand`(words: [String]) async throws {
        let outcome = try await Command.running(words)

        #expect(outcome.status == 2 && outcome.stderr.contains("'. Options stand behind a verb"), "\(outcome.stderr)")
    }

    @Test func `no option has two hints`() {
        let options = OptionHintTests.rows.map(\.0)

        #expect(Set(options).count == options.count)
    }

    @Test(arguments: [
        (["--verify=no"], "--insecure"), (["-q"], "~/.curlrc is not read, or write -s"), (["--follow"], "Write -L"),
        (["-p", "h"], "--print=HBhb for parts of request and response; a proxy"), (["-j"], "the cookies of a file"),
        (["-a", "me:pw"], "-u USER:PASSWORD for credentials; nothing is appended"),
        (["--auth", "me:pw"], "Write -u"), (["--start-pos", "5"], "-r 500-"), (["-P", "folder"], "--output-dir"),
        (["--digest"], "basic and bearer alone"), (["--http3"], "sends no HTTP/3"), (["--http3-only"], "libcurl"),
        (["--ciphers", "x"], "has nothing like it"),
        (["--proto", "https"], "plugboard curl does"), (["--proto", "-all,https"], "plugboard curl does"),
    ])
    func `the command prints the hint`(options: [String], hint: String) async throws {
        let outcome = try await Command.running(["get", "http://127.0.0.1:1/"] + options)

        #expect(outcome.status == 2 && outcome.stderr.contains(hint), "\(outcome.stderr)")
    }
}
