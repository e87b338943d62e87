import CPlugboard

/// The typed name of an attribute, which a request carries for one plugin.
///
/// Defined once in the plugin's module of options, and used by programs, by the plugin and by its manifest:
///
///     public struct RedirectAttributes: AttributeTable {
///         public static let keys = RedirectAttributes()
///         public let limit = AttributeKey<Int>(
///             "redirect", "limit", "The most redirects that are followed.", in: 0...100)
///     }
public struct AttributeKey<Value: OptionValue>: Sendable {
    /// `PLUGIN-ID.name`.
    public var name: String { content.name }
    /// What the manifest lists: name, type, bounds and documentation.
    public var definition: OptionDefinition { content.definition }
    /// `name`, as long as the key.
    @inline(__always)
    var text: plug_text { content.text }
    private let content: Content

    /// What a key consists of; an object, because each read of an attribute copies the key.
    ///
    /// Unchecked, because the bytes behind `text` never change.
    private final class Content: @unchecked Sendable {
        let name: String
        let text: plug_text
        let definition: OptionDefinition

        init(_ plugin: String, _ definition: OptionDefinition) {
            name = "\(plugin).\(definition.name)"
            text = plug_text(immortal: name)
            self.definition = definition
        }

        deinit { text.bytes?.deallocate() }
    }

    /// A key for any value of the type.
    ///
    /// - Parameters:
    ///   - plugin: The plugin's id.
    ///   - name: The name without the id.
    ///   - documentation: One sentence.
    ///   - isSecret: The value is never printed.
    public init(
        _ plugin: String, _ name: String, _ documentation: String, isSecret: Bool = false
    ) {
        content = Content(plugin, OptionDefinition(name, documentation, of: Value.self, isSecret: isSecret))
    }

    /// A key for values within bounds, both included; other values are refused.
    public init(
        _ plugin: String, _ name: String, _ documentation: String, in bounds: ClosedRange<Value>,
        isSecret: Bool = false
    ) where Value: Comparable {
        let bounds = Value.optionForm.magnitudes(of: bounds)
        content = Content(
            plugin, OptionDefinition(name, documentation, of: Value.self, bounds: bounds, isSecret: isSecret))
    }
}

extension Attributes {
    /// An attribute by its typed name; nil if the attribute is absent or its text cannot be read.
    public subscript<Value>(key: AttributeKey<Value>) -> Value? {
        get { self[key.name].flatMap { Value.optionForm.read($0) } }
        set { self[key.name] = newValue.map { Value.optionForm.text(of: $0) } }
    }
}

extension Request {
    /// An attribute by its typed name; nil if the attribute is absent or its text cannot be read.
    public subscript<Value>(key: AttributeKey<Value>) -> Value? {
        get { attributes[key] }
        set { attributes[key] = newValue }
    }
}
