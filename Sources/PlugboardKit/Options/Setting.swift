import PlugboardJSON

/// One setting of a plugin: its default, its documentation and its bounds.
///
///     struct Settings: PluginSettings {
///         @Setting("How long entries are fresh.", in: .zero ... .seconds(86_400)) var lifetime = Duration.seconds(60)
///         @Setting("The key that signs.", count: 16...64, isSecret: true, isRequired: true) var key = ""
///     }
///
/// The property's name is the setting's name. The value is read from the configuration before the plugin is made. A
/// program that gives the plugin to its kernel can assign it: `.linked(Sign.self) { $0.lifetime = .seconds(5) }`.
@propertyWrapper
public struct Setting<Value: OptionValue>: Sendable {
    private var box: SettingBox<Value>

    /// A setting without bounds.
    public init(
        wrappedValue: Value, _ documentation: String, isSecret: Bool = false, isRequired: Bool = false
    ) {
        box = SettingBox(wrappedValue, documentation, nil, isSecret, isRequired)
    }

    /// A setting whose value lies within bounds, which the kernel checks.
    public init(
        wrappedValue: Value, _ documentation: String, in bounds: ClosedRange<Value>, isSecret: Bool = false,
        isRequired: Bool = false
    ) where Value: Comparable {
        box = SettingBox(
            wrappedValue, documentation, Value.optionForm.magnitudes(of: bounds), isSecret, isRequired)
    }

    /// A text, a list or a map, with bounds for its bytes or items.
    public init(
        wrappedValue: Value, _ documentation: String, count: ClosedRange<Int>, isSecret: Bool = false,
        isRequired: Bool = false
    ) where Value: Collection {
        box = SettingBox(
            wrappedValue, documentation, Int64(count.lowerBound)...Int64(count.upperBound), isSecret, isRequired)
    }

    /// The configuration's value, or the default. A value that a program assigns counts as given, even if it is the
    /// default. Times are whole milliseconds, as in files.
    public var wrappedValue: Value {
        get { box.value }
        // Makes a new box, so that copies of the settings keep theirs.
        set { box = SettingBox(box, given: newValue) }
    }
}

/// The settings of a plugin: a struct whose stored properties are all `@Setting`s.
public protocol PluginSettings: Sendable {
    /// All settings at their defaults.
    init()
}

/// The settings of a plugin that has none.
public struct NoSettings: PluginSettings {
    /// The only value.
    public init() {}
}

extension PluginSettings {
    /// The table for the descriptor.
    static var definitions: [OptionDefinition] {
        Self().reflected.map { name, setting in setting.define(name) }
    }

    /// Reads all values; a setting that the configuration does not give keeps its default.
    init(reading read: (_ name: String) -> String?) {
        self.init()
        for (name, setting) in reflected {
            if let text = read(name) { setting.assign(text) }
        }
    }

    /// The settings that code has assigned, as a configuration would write them. An optional that is nil is not given.
    package var given: JSONObject {
        var object = JSONObject()
        for (name, setting) in reflected { if let value = setting.given { object[name] = value } }
        return object
    }

    private var reflected: [(String, any AnySetting)] {
        Mirror(reflecting: self).children.compactMap { child in
            guard let label = child.label, let setting = child.value as? any AnySetting else { return nil }
            return (String(label.drop { $0 == "_" }), setting)
        }
    }
}

private protocol AnySetting {
    var given: JSONValue? { get }
    func define(_ name: String) -> OptionDefinition
    func assign(_ text: String)
}

extension Setting: AnySetting {
    fileprivate var given: JSONValue? { box.given }
    fileprivate func define(_ name: String) -> OptionDefinition { box.define(name) }
    fileprivate func assign(_ text: String) { box.assign(text) }
}

/// Sendable because it is assigned only while the settings are read, before they are handed to the plugin.
private final class SettingBox<Value: OptionValue>: @unchecked Sendable {
    private(set) var value: Value
    private let isGiven: Bool
    private let documentation: String
    private let bounds: ClosedRange<Int64>?
    private let isSecret: Bool
    private let isRequired: Bool

    init(
        _ value: Value, _ documentation: String, _ bounds: ClosedRange<Int64>?, _ isSecret: Bool, _ isRequired: Bool
    ) {
        self.value = value
        isGiven = false
        self.documentation = documentation
        self.bounds = bounds
        self.isSecret = isSecret
        self.isRequired = isRequired
    }

    init(_ box: SettingBox, given value: Value) {
        self.value = value
        isGiven = true
        documentation = box.documentation
        bounds = box.bounds
        isSecret = box.isSecret
        isRequired = box.isRequired
    }

    var given: JSONValue? { isGiven ? Value.optionForm.json(of: value) : nil }

    /// A required setting has no default, so the property's value need not lie within the bounds.
    func define(_ name: String) -> OptionDefinition {
        OptionDefinition(
            name, documentation, of: Value.self, fallback: isRequired ? "" : Value.optionForm.text(of: value),
            bounds: bounds, isSecret: isSecret, isRequired: isRequired)
    }

    /// The kernel has checked the text against the table, so one that cannot be read keeps the default.
    func assign(_ text: String) {
        if let value = Value.optionForm.read(text) { self.value = value }
    }
}
