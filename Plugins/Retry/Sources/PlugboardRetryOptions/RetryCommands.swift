import PlugboardJSON
import PlugboardKit

extension PluginCommands {
    /// The commands of the plugin `retry`: `try await kernel.retry.forget()`.
    public var retry: RetryCommands<Self> { RetryCommands(commands: self) }
}

/// The commands of the plugin `retry`. Called from any task.
public struct RetryCommands<Commands: PluginCommands>: Sendable {
    fileprivate let commands: Commands

    /// Removes budgets and circuits: each origin has a full budget and a closed circuit again.
    public func forget() async throws(PlugboardError) {
        _ = try await commands.command("retry", "forget", "{}")
    }

    /// The origins that have failed recently, with their budgets and circuits.
    public func stats() async throws(PlugboardError) -> [Origin: OriginStatistics] {
        guard let origins = try await commands.json("retry", "stats")["origins"]?.objectValue else {
            throw PlugboardError(.commandReply, "The plugin retry replied to stats without its origins.")
        }
        var statistics: [Origin: OriginStatistics] = [:]
        for (name, value) in origins { if let origin = Origin(name) { statistics[origin] = OriginStatistics(value) } }
        return statistics
    }
}

/// What the plugin `retry` remembers of an origin that has failed recently.
public struct OriginStatistics: Sendable, Equatable {
    /// A circuit breaker's state.
    public enum Circuit: Sendable, Equatable {
        /// Requests are sent; this many have failed in a row.
        case closed(failures: Int)
        /// Requests are refused. A probe may be sent after this time.
        case open(probedIn: Duration)
        /// The numbers of probes under way, and of those that have succeeded.
        case halfOpen(probing: Int, succeeded: Int)
    }

    /// The repetitions that the budget has left; nil without a budget.
    public var tokens: Double?
    /// The state of the circuit.
    public var circuit: Circuit

    fileprivate init(_ value: JSONValue) {
        func number(_ name: String) -> Int { value[name]?.intValue.map { Int(clamping: $0) } ?? 0 }
        tokens = value["tokens"]?.numberValue?.double
        switch value["circuit"]?.stringValue {
        case "open":
            let probedIn = value["probedIn"]?.stringValue.flatMap { DurationText($0)?.duration }
            circuit = .open(probedIn: probedIn ?? .zero)
        case "halfOpen": circuit = .halfOpen(probing: number("probing"), succeeded: number("succeeded"))
        default: circuit = .closed(failures: number("failures"))
        }
    }
}
