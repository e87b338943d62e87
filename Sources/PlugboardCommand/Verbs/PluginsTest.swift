import ArgumentParser
import PlugboardKit
import PlugboardSystem
import PlugboardTesting
import PluginLoader

struct PluginsTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Runs a plugin through scenarios, without a network.",
        usage: "plugboard plugins test [<options>] <path.so> <scenarios.json> …",
        discussion: """
            Each scenario gets a kernel of its own with this plugin, a network that the
            scenario plays, and a clock that stands still until a step moves it. A step
            says what is done and what is expected. The user's own configuration and data
            are not used.

            Ends with status 0 if all scenarios passed, else with 1. A scenario ends at its
            first difference, which is reported with its path in the file:
            `steps[2].sent.fields.x-sign`.

            A FILE (JSON; comments and trailing commas are allowed):
              {
                "clock": "2026-01-02T03:04:05Z",
                "settings": { "key": "0123" },
                "scenarios": [{
                  "name": "a request is signed",
                  "steps": [
                    { "send": { "url": "https://a.test/", "body": "hello", "pieces": 2 },
                      "sent": { "fields": { "x-sign": "90ab" }, "body": "hello" },
                      "respond": { "status": 201, "body": "made" },
                      "received": { "status": 201, "body": "made" } },
                  ],
                }],
              }

            Documentation/writing-plugins.md lists all keys.

            EXAMPLES:
              plugboard plugins test ./acme_sign.so test/scenarios.json
              plugboard plugins test ./acme_sign.so test/*.json --only "a request is signed"
            """)

    @Argument(help: ArgumentHelp("The shared object.", valueName: "path.so")) var path: String
    @Argument(help: ArgumentHelp("Files of scenarios.", valueName: "scenarios.json")) var files: [String]
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Runs only this scenario; can be repeated.", valueName: "name"))
    var only: [String] = []
    @Option(
        help: ArgumentHelp(
            "How long a step waits for the plugin's own threads; \"10s\" by default.",
            valueName: "time"))
    var patience: String = "10s"

    func validate() throws {
        if files.isEmpty { throw ValidationError("A file of scenarios is needed.") }
        if DurationText(patience) == nil { throw ValidationError("--patience must be a time, such as 10s.") }
    }

    func run() async throws {
        let output = ByteOutput.standard
        var (passed, failed) = (0, 0)
        for file in files {
            let scenarios = try read(file)
            for scenario in scenarios.scenarios where only.isEmpty || only.contains(scenario.name) {
                // Written before it runs, so that a crash can be seen to be here.
                try output.write("\(Printable.text(scenario.name)): ")
                let error = await error(of: scenario, in: scenarios, file: file)
                if error == nil { passed += 1 } else { failed += 1 }
                try output.write(error.map { "FAILED\n    \($0)\n" } ?? "passed\n")
            }
        }
        if passed + failed == 0 { throw CommandFailure(.usage, "No scenario has the name that --only gives.") }
        try output.write("\(passed) passed, \(failed) failed\n")
        if failed > 0 { throw CommandFailure(.failure, nil) }
    }

    /// The first difference; nil if the scenario passed.
    private func error(
        of scenario: ScenarioFile.Scenario, in scenarios: ScenarioFile, file: String
    ) async -> ScenarioError? {
        do throws(ScenarioError) {
            try await ScenarioRun.perform(
                scenario, of: scenarios, plugin: PluginArguments.absolute(path), folder: folder(of: file),
                catalog: .bundled, loader: .dynamic, patience: DurationText(patience)?.duration ?? .seconds(10))
            return nil
        } catch {
            return error
        }
    }

    private func read(_ file: String) throws -> ScenarioFile {
        let bytes = try FileContents.bytes(of: file)
        do throws(ScenarioError) {
            return try ScenarioFile(bytes)
        } catch {
            throw CommandFailure(.usage, "\(file): \(error)")
        }
    }

    /// The folder at which relative paths in a file begin.
    private func folder(of file: String) -> String {
        let path = PluginArguments.absolute(file)
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    }
}
