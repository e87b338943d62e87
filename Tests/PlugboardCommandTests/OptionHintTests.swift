import ArgumentParser
import TestSupport
import Testing

@testable import PlugboardCommand

/// What errors say for options of other programs.
struct OptionHintTests {
    private static let help = GetVerb.helpMessage(columns: 400) + DownloadVerb.helpMessage(columns: 400)
    private static let rows = OptionHints.table.flatMap { row in row.options.map { ($0, row.hint) } }

    @Test(arguments: rows)
    func `the error of an option of another program says what to write`(option: String, hint: String) throws {
        let message = OptionHints.improve("Error: Unknown option '\(option)=secret'. Did you mean '--x'?\nUsage: x")

        #expect(message == "Error: Unknown option '\(option)'. \(hint)\nUsage: x")
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

    @Test func `no option has two hints`() {
        let options = OptionHintTests.rows.map(\.0)

        #expect(Set(options).count == options.count)
    }

    @Test(arguments: [
        (["--verify=no"], "--insecure"), (["-q"], "Write -s"), (["--follow"], "Write -L"),
        (["-p", "h"], "--print=HBhb"),
        (["--auth", "me:pw"], "Write -u"), (["--start-pos", "5"], "-r 500-"), (["-P", "folder"], "--output-dir"),
        (["--digest"], "basic and bearer alone"), (["--http3"], "sends no HTTP/3"),
        (["--ciphers", "x"], "plugboard curl does"), (["-Z"], "plugboard curl does"),
    ])
    func `the command prints the hint`(options: [String], hint: String) async throws {
        let outcome = try await Command.running(["get", "http://127.0.0.1:1/"] + options)

        #expect(outcome.status == 2 && outcome.stderr.contains(hint), "\(outcome.stderr)")
    }
}
