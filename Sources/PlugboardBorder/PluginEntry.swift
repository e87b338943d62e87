import PlugboardJSON

/// One plugin of a configuration or of a program: given by its id (linked), by its file (loaded), or in code.
///
///     let kernel = try Kernel(plugins: [
///         "redirect",
///         .retry { $0.attempts = 5 },
///         .linked(Sign(keys)),
///         .loaded("plugins/libplugboard-cache.so", CacheSettings.self) { $0.disk = .gibibytes(1) },
///     ])
public struct PluginEntry: Sendable {
    /// What happens to an exchange when the plugin breaks the rules of the ABI, throws or panics in a hook.
    public enum OnFault: String, Sendable, CaseIterable {
        /// The exchange fails.
        case fail
        /// The hook counts as `next`.
        case skip
        /// As `skip`; after as many faults in a row as `faultLimit` says, the plugin is switched off until the next
        /// start.
        case disable
    }

    /// The plugin's id. Required for linked plugins. For loaded plugins it is optional, and is checked against the
    /// file.
    public var id: String?
    /// The shared object; nil for linked plugins.
    public var path: String?
    /// The file's SHA-256 in hexadecimal, either case; another file is refused.
    public var sha256: String?
    /// The priority, 0 to 999; nil for the plugin's own.
    public var priority: Int?
    /// Ids that must stand further in, in addition to those that the plugin itself names.
    public var before: [String]
    /// Ids that must stand further out, in addition to those that the plugin itself names.
    public var after: [String]
    /// What follows a fault; nil means `fail`.
    public var onFault: OnFault?
    /// Faults in a row after which `disable` switches the plugin off; nil is `defaultFaultLimit`.
    public var faultLimit: Int?
    /// The settings by their names, as a configuration writes them.
    public var settings: JSONObject
    /// A plugin that is not enabled is left out and not checked.
    public var isEnabled: Bool

    /// The default of `faultLimit`.
    public static let defaultFaultLimit = 3

    /// The plugin itself, if it is given in code.
    package var linked: LinkedDescriptor?
    /// Its location in the text that it was read from; nil when it was made in code.
    package var location: JSONPath?
    /// Its location in what the program gives its kernel, if it is there.
    package var programLocation: JSONPath?
    /// The names of the settings whose values the program gives, in an entry that was read from a text.
    package var programSettings: Set<String> = []
    /// The path as the text has it, if it is only a file name.
    package var fileName: String?

    /// - Parameter name: A path if it has a `/`, else an id.
    public init(
        _ name: String, sha256: String? = nil, priority: Int? = nil, before: [String] = [], after: [String] = [],
        onFault: OnFault? = nil, settings: JSONObject = [:], isEnabled: Bool = true
    ) {
        let isPath = name.utf8.contains(UInt8(ascii: "/"))
        self.init(
            id: isPath ? nil : name, path: isPath ? name : nil, sha256: sha256, priority: priority, before: before,
            after: after, onFault: onFault, settings: settings, isEnabled: isEnabled)
    }

    /// - Parameters:
    ///   - id: Required of linked plugins.
    ///   - path: The path of the shared object; nil for linked plugins.
    package init(
        id: String?, path: String?, sha256: String? = nil, priority: Int? = nil, before: [String] = [],
        after: [String] = [], onFault: OnFault? = nil, settings: JSONObject = [:], isEnabled: Bool = true
    ) {
        self.id = id
        self.path = path
        self.sha256 = sha256
        self.priority = priority
        self.before = before
        self.after = after
        self.onFault = onFault
        self.settings = settings
        self.isEnabled = isEnabled
    }

    package init(_ linked: LinkedDescriptor, settings: JSONObject = [:]) {
        self.init(id: linked.id, path: nil, settings: settings)
        self.linked = linked
    }

    /// A copy with another place in the order, or another `onFault`. Values that are not given stay.
    public func with(
        priority: Int? = nil, before: [String]? = nil, after: [String]? = nil, onFault: OnFault? = nil,
        faultLimit: Int? = nil
    ) -> PluginEntry {
        var entry = self
        if let priority { entry.priority = priority }
        if let before { entry.before = before }
        if let after { entry.after = after }
        if let onFault { entry.onFault = onFault }
        if let faultLimit { entry.faultLimit = faultLimit }
        return entry
    }
}

extension PluginEntry: ExpressibleByStringLiteral {
    /// A path if it has a `/`, else an id.
    public init(stringLiteral name: String) { self.init(name) }
}
