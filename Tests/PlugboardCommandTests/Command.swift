import Foundation
import PlugboardJSON
import TestSupport
import Testing

/// Runs the built `plugboard` as a child process.
enum Command {
    static func run(
        _ arguments: String..., environment: [String: String] = [:], input: String = ""
    ) async throws -> ProcessRunner.Outcome {
        try await running(arguments, environment: environment, input: input)
    }

    static func running(
        _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) async throws -> ProcessRunner.Outcome {
        try await ProcessRunner.running(
            [Products.executable("plugboard")] + arguments, environment: environment, input: Array(input.utf8))
    }

    /// Runs a line of the shell, in which `$plugboard` is the command.
    static func shell(_ line: String, _ variables: [String: String] = [:]) async throws -> ProcessRunner.Outcome {
        let own = ["plugboard": try Products.executable("plugboard")]
        return try await ProcessRunner.running(
            ["/bin/sh", "-c", line], environment: own.merging(variables) { _, new in new })
    }

    /// Runs the command with its standard output and error on a terminal, and returns what the terminal got.
    static func onTerminal(_ arguments: String, environment: [String: String] = [:]) async throws -> String {
        let line = "exec \"$script\" -qec \"\\\"$plugboard\\\" \(arguments)\" /dev/null"
        let variables = ["script": scriptPath, "TERM": "xterm"].merging(environment) { _, given in given }
        return try await shell(line, variables).stdout.replacingOccurrences(of: "\r\n", with: "\n")
    }

    private static let scriptPath = "/usr/bin/script"

    /// Whether there is util-linux's `script`, which gives a program a terminal, or has to be.
    static let hasTerminals = Strictness.isSet || FileManager.default.isExecutableFile(atPath: scriptPath)

    /// Hands lines to `plugboard exec` and returns its replies by their `id`; those without one under "".
    static func exec(_ lines: [String], _ arguments: String...) async throws -> [String: JSONValue] {
        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "exec"] + arguments, input: Array(lines.joined(separator: "\n").utf8))
        #expect(outcome.status == 0, "\(outcome.stderr)")
        var replies: [String: JSONValue] = [:]
        for line in outcome.stdout.split(separator: "\n") {
            let reply = try JSONParser.parse(String(line))
            let id = reply["id"]?.stringValue ?? ""
            #expect(replies[id] == nil, "two replies for \(id)")
            replies[id] = reply
        }
        return replies
    }

    /// The reply to one line, whose id is "1".
    static func exec(_ members: JSONObject, _ arguments: [String] = []) async throws -> JSONValue {
        var line = members
        line["id"] = "1"
        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "exec"] + arguments,
            input: Array(JSONWriter.write(.object(line)) as [UInt8]))
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return try JSONParser.parse(outcome.stdout)
    }

    /// `--plugin` with the shared object of a bundled plugin.
    static func loading(_ plugins: String...) throws -> [String] {
        try plugins.flatMap { ["--plugin", try Products.library("plugboard-\($0)")] }
    }
}
