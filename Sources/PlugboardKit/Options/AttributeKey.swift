/// The typed name of an attribute: an option that a request carries for one plugin.
///
/// Defined once in the plugin's module of options, and used by programs, by the plugin and by its manifest:
///
///     public enum RedirectAttributes {
///         public static let limit = AttributeKey<Int>("redirect", "limit", "Redirects to follow.", in: 0...100)
///     }
public struct AttributeKey<Value: OptionValue>: Sendable {
    /// `PLUGIN-ID.name`.
    public let name: String
    /// The row of the plugin's table of attributes.
    public let definition: OptionDefinition

    /// A name without bounds.
    public init(
        _ plugin: String, _ name: String, _ documentation: String, isSecret: Bool = false
    ) {
        self.name = "\(plugin).\(name)"
        definition = OptionDefinition(
            name, documentation, of: Value.self, isSecret: isSecret)
    }

    /// A name whose values lie within bounds, which the kernel checks.
    public init(
        _ plugin: String, _ name: String, _ documentation: String, in bounds: ClosedRange<Value>,
        isSecret: Bool = false
    ) where Value: Comparable {
        self.name = "\(plugin).\(name)"
        definition = OptionDefinition(
            name, documentation, of: Value.self,
            bounds: bounds.lowerBound.optionMagnitude...bounds.upperBound.optionMagnitude, isSecret: isSecret)
    }
}

extension Attributes {
    /// An attribute by its typed name; nil if the attribute is absent or its text cannot be read.
    public subscript<Value>(key: AttributeKey<Value>) -> Value? {
        get { self[key.name].flatMap { Value(optionText: $0) } }
        set { self[key.name] = newValue?.optionText }
    }
}

extension Request {
    /// An attribute by its typed name; nil if the attribute is absent or its text cannot be read.
    public subscript<Value>(key: AttributeKey<Value>) -> Value? {
        get { attributes[key] }
        set { attributes[key] = newValue }
    }
}
