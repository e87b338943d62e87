import PlugboardKit

/// A file of scenarios for one plugin: JSON with comments and trailing commas, read strictly.
package struct ScenarioFile: Sendable {
    package struct Scenario: Sendable {
        package let name: String
        /// The settings of the file, replaced by those of the scenario.
        let settings: JSONObject
        let steps: [ScenarioStep]
    }

    package let scenarios: [Scenario]
    /// The sections `kernel` and `origins` of the configuration, and further plugins.
    let kernel: JSONValue?
    let origins: JSONValue?
    let beside: [JSONValue]
    /// The time of the wall clock at the beginning.
    let wallClock: Duration?

    private static let sizeLimit = 4 << 20

    package init(_ bytes: [UInt8]) throws(ScenarioError) {
        var options = JSONParser.configuration
        options.sizeLimit = ScenarioFile.sizeLimit
        let value: JSONValue
        do {
            value = try bytes.withUnsafeBytes { try JSONParser.parse($0, options: options) }
        } catch {
            throw ScenarioError(path: "", reason: "\(error).")
        }
        let members = try ScenarioMembers(
            value, at: "", known: ["clock", "settings", "kernel", "origins", "beside", "scenarios"])
        wallClock = try members.moment("clock")
        let settings = try members.object("settings") ?? [:]
        kernel = members["kernel"]
        origins = members["origins"]
        beside = try members.list("beside") ?? []
        var scenarios: [Scenario] = []
        for (index, value) in (try members.list("scenarios") ?? []).enumerated() {
            scenarios.append(try ScenarioFile.scenario(value, at: "scenarios[\(index)]", settings))
        }
        if scenarios.isEmpty {
            throw ScenarioError(path: "scenarios", reason: "must be a list with at least one scenario")
        }
        self.scenarios = scenarios
    }

    private static func scenario(
        _ value: JSONValue, at path: String, _ settings: JSONObject
    ) throws(ScenarioError) -> Scenario {
        let members = try ScenarioMembers(value, at: path, known: ["name", "settings", "steps"])
        guard let name = try members.text("name"), !name.isEmpty else {
            throw ScenarioError(path: path, reason: "needs a name")
        }
        var all = settings
        for (key, value) in try members.object("settings") ?? [:] { all[key] = value }
        var steps: [ScenarioStep] = []
        var number = 0
        for (index, value) in (try members.list("steps") ?? []).enumerated() {
            if value["send"] != nil { number += 1 }
            steps.append(try ScenarioStep(value, at: "\(path).steps[\(index)]", number: number))
        }
        if steps.isEmpty { throw ScenarioError(path: path, reason: "needs steps") }
        return Scenario(name: name, settings: all, steps: steps)
    }

    /// The configuration of a scenario's kernel.
    func configuration(
        _ scenario: Scenario, plugin path: String, folder: String
    ) throws(PlugboardError) -> Configuration {
        var text: JSONObject = [:]
        text["kernel"] = kernel
        text["origins"] = origins
        text["plugins"] = .array(
            [.object(["path": .string(path), "settings": .object(scenario.settings)])] + beside)
        return try Configuration.text(JSONWriter.write(.object(text)), folder: folder)
    }
}
