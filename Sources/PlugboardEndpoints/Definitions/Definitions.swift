import PlugboardCore
import PlugboardJSON

/// Endpoints by name, from a file, a configuration, an OpenAPI document or code.
///
///     let definitions = try Definitions.file("endpoints.json")
///     let definitions = try Definitions([
///         "DEFAULT": ["base": "https://api.example.com/v2"],
///         "TopicList": ["path": "boards/{board}/topics", "response": "list"],
///     ])
///     var settings = ClientSettings()
///     settings.definitions = definitions
///     let topics = try await Client(kernel: kernel, settings: settings).send("TopicList", ["board": "swift"])
///
/// Documentation/definitions.md describes the keys.
public struct Definitions: Sendable {
    private var byName: [String: Definition] = [:]
    /// All names in the order of the file, including definitions that others refine and that cannot be called.
    private var order: [String] = []

    /// The parts of an OpenAPI document that are ignored because definitions cannot express them.
    public internal(set) var unsupported: [ConfigurationError] = []

    /// The errors in an OpenAPI document. An operation that cannot be read because of an error is left out, and calling
    /// it fails.
    public internal(set) var defects: [ConfigurationError] = []

    /// The errors of operations that were left out, by the names of the operations.
    var refused: [String: [ConfigurationError]] = [:]

    /// Creates an empty set.
    public init() {}

    /// Creates a set of definitions made in code. Of definitions with equal names, the last is used.
    public init(_ definitions: some Sequence<Definition>) {
        for definition in definitions { add(definition) }
    }

    /// Adds a definition, or replaces the one with its name. Placeholders of its path become parameters, as in a file.
    public mutating func add(_ definition: Definition) {
        var definition = definition
        if definition.path != nil, let template = try? URLTemplate(path: definition.wholePath) {
            definition.addPlaceholders(template.placeholders)
        }
        addRead(definition)
    }

    /// Adds a definition that a reader has completed.
    mutating func addRead(_ definition: Definition) {
        refused[definition.name] = nil
        if byName.updateValue(definition, forKey: definition.name) == nil { order.append(definition.name) }
    }

    /// These definitions and others, which replace those with the same names.
    public func merging(_ others: Definitions) -> Definitions {
        var merged = self
        for (name, errors) in others.refused where merged.byName[name] == nil { merged.refused[name] = errors }
        for name in others.order { if let definition = others.byName[name] { merged.addRead(definition) } }
        merged.unsupported += others.unsupported
        merged.defects += others.defects
        return merged
    }

    /// These definitions if the document has no defects: `try Definitions.file("api.json").strict()`.
    ///
    /// Throws one error of the code `configuration` that lists all defects.
    public func strict() throws(PlugboardError) -> Definitions {
        if defects.isEmpty { return self }
        throw PlugboardError(defects)
    }

    /// Whether there are no definitions, including those that cannot be called.
    public var isEmpty: Bool { order.isEmpty && refused.isEmpty }

    /// The names of the definitions that can be called, in their order.
    public var names: [String] { order.filter { byName[$0]?.path != nil } }

    /// The definitions that can be called, in their order.
    public var all: [Definition] { order.compactMap { byName[$0] }.filter { $0.path != nil } }

    /// The definition with a name; nil if there is none or it cannot be called.
    public subscript(name: String) -> Definition? { byName[name].flatMap { $0.path == nil ? nil : $0 } }

    /// The definition with a name.
    ///
    /// Throws `request.parameter` for a name that is unknown or cannot be called; the error has the most similar name.
    /// Throws `configuration` for an operation of an OpenAPI document that was left out; the error says why.
    public func definition(_ name: String) throws(PlugboardError) -> Definition {
        if let definition = self[name] { return definition }
        let shown = Printable.text(name)
        if byName[name] != nil {
            throw PlugboardError(
                .requestParameter, "The definition \(shown) has no path: it is refined by others and cannot be called.")
        }
        if let errors = refused[name] {
            throw PlugboardError(
                .configuration,
                "The operation \(shown) cannot be called, because of its document: "
                    + errors.map { "\($0)" }.joined(separator: "; ") + ".")
        }
        let near = Spelling.nearest(name, in: names).map { " Did you mean \($0)?" } ?? ""
        let none = order.isEmpty ? " There are no definitions: set ClientSettings.definitions." : ""
        throw PlugboardError(.requestParameter, "There is no definition \(shown).\(near)\(none)")
    }
}
