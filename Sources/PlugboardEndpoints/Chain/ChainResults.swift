import PlugboardCore

/// One step of a chain.
public struct ChainStep: Sendable, Hashable {
    /// The name that the program has given, or the name of the endpoint's type.
    public let name: String
    /// Its position among the steps that have begun or were skipped, from 0.
    public let index: Int
}

/// The values of the steps of a chain that have succeeded so far.
public struct ChainResults: Sendable {
    private struct Entry: Sendable {
        let step: ChainStep
        let endpoint: ObjectIdentifier
        let value: any Sendable
    }

    private var entries: [Entry] = []
    /// Whether a step has stopped the chain before the last step.
    public internal(set) var isStopped = false

    /// The steps that have succeeded, in order. Steps that were skipped have no value.
    public var steps: [ChainStep] { entries.map(\.step) }

    /// The number of steps that have succeeded.
    public var count: Int { entries.count }

    /// The value of the last step with that name; nil if no such step has succeeded.
    public subscript(name: String) -> (any Sendable)? { entries.last { $0.step.name == name }?.value }

    /// The value of the last step that sent an endpoint of that type; nil if no such step has succeeded.
    public func value<E: Endpoint>(of endpoint: E.Type) -> E.Response? {
        entries.last { $0.endpoint == ObjectIdentifier(endpoint) }?.value as? E.Response
    }

    /// The value of the last step with that name. Throws `request.parameter` if no such step has succeeded, or if the
    /// value has another type.
    public func value<Value>(_ name: String, as type: Value.Type = Value.self) throws(PlugboardError) -> Value {
        guard let value = self[name] else {
            let known = entries.map { "\"\($0.step.name)\"" }.joined(separator: ", ")
            throw PlugboardError(
                .requestParameter,
                "The chain has no value of the step \"\(Printable.text(name))\". "
                    + (entries.isEmpty ? "No step has succeeded so far." : "Steps that have succeeded: \(known)."))
        }
        guard let typed = value as? Value else {
            throw PlugboardError(
                .requestParameter,
                "The value of the chain's step \"\(Printable.text(name))\" is a \(Swift.type(of: value)), not a \(type)."
            )
        }
        return typed
    }

    mutating func add<E: Endpoint>(_ value: E.Response, of step: ChainStep, _ endpoint: E.Type) {
        entries.append(Entry(step: step, endpoint: ObjectIdentifier(endpoint), value: value))
    }
}
