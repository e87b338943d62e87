import PlugboardJSON
import PlugboardKit

extension PluginCommands {
    /// The commands of the plugin `limit`: `try await kernel.limit.list()`.
    public var limit: LimitCommands<Self> { LimitCommands(commands: self) }
}

/// The commands of the plugin `limit`. Called from any task.
public struct LimitCommands<Commands: PluginCommands>: Sendable {
    fileprivate let commands: Commands

    /// The keys that are in use, in the order of their rules.
    public func list() async throws(PlugboardError) -> [LimitUse] {
        guard case .json(let text) = try await commands.command("limit", "list", "{}"),
            let keys = (try? JSONParser.parse(text))?["keys"]?.arrayValue
        else { throw PlugboardError(.commandReply, "The plugin limit replied to list without its keys in JSON.") }
        return keys.map { LimitUse($0) }
    }

    /// Ends the pauses and forgets the requests that were counted. Requests that wait go on, as far as there is room.
    public func forget() async throws(PlugboardError) {
        _ = try await commands.command("limit", "forget", "{}")
    }
}

/// The state of one key of a rule: how many requests run, and how many may still begin.
public struct LimitUse: Sendable, Equatable {
    /// The rule, as the settings have it.
    public var rule: String
    /// The values that the rule counts by, under `origin`, the name of the field or that of the attribute. A value that
    /// is secret or long is `…`. Empty for a rule without `by`, and for the values beyond the most keys.
    public var values: [String: String]
    /// What is left of each rate, under its text, such as `100/s`; of a shared one, what this process has at hand. Room
    /// that is kept for requests is not left.
    public var left: [String: Int]
    /// The most requests at once; nil without this limit.
    public var atOnce: Int?
    /// The requests that have room and have not ended.
    public var running: Int
    /// The requests that wait.
    public var waiting: Int
    /// The time until a pause ends that the server has asked for; nil without one.
    public var pausedFor: Duration?

    fileprivate init(_ value: JSONValue) {
        func number(_ value: JSONValue?) -> Int { value?.intValue.map { Int(clamping: $0) } ?? 0 }
        rule = value["rule"]?.stringValue ?? ""
        values = (value["values"]?.objectValue ?? [:]).reduce(into: [:]) { $0[$1.key] = $1.value.stringValue }
        left = (value["left"]?.objectValue ?? [:]).reduce(into: [:]) { $0[$1.key] = number($1.value) }
        atOnce = value["atOnce"]?.intValue.map { Int(clamping: $0) }
        running = number(value["running"])
        waiting = number(value["waiting"])
        pausedFor = value["pausedFor"]?.stringValue.flatMap { DurationText($0)?.duration }
    }
}
