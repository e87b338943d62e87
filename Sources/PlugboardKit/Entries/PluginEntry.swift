import PlugboardJSON

/// One plugin of a configuration, or of those that a program gives its kernel: by its id (linked), by its file
/// (loaded), or by what the program's code says of it.
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

    /// Required of linked plugins. Of loaded ones it is checked against what the file says, where it is given.
    public var id: String?
    /// The shared object; nil for linked plugins.
    public var path: String?
    /// The file's SHA-256 in hexadecimal, either case; another file is refused.
    public var sha256: String?
    /// 0 to 999; nil for the plugin's own.
    public var priority: Int?
    /// Ids that must stand further in, beside those that the plugin itself names.
    public var before: [String]
    /// Ids that must stand further out, beside those that the plugin itself names.
    public var after: [String]
    /// Nil is `fail`.
    public var onFault: OnFault?
    /// Faults in a row after which `disable` switches the plugin off; nil is `defaultFaultLimit`.
    public var faultLimit: Int?
    /// As a configuration writes them, by their names.
    public var settings: JSONObject
    /// A plugin that is not enabled is left out, unchecked.
    public var isEnabled: Bool

    /// What `faultLimit` is where nothing is said.
    public static let defaultFaultLimit = 3

    /// The plugin itself, where code gives it.
    package var linked: LinkedDescriptor?
    /// Its location in the text that it was read from; nil when it was made in code.
    package var location: JSONPath?
    /// Its location in what the program gives its kernel, if it is there.
    package var programLocation: JSONPath?
    /// The settings whose values the program gives, of those of an entry that was read from a text.
    package var programSettings: Set<String> = []
    /// The path as a text says it, if that is a file's name alone.
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
    ///   - path: Of the shared object; nil for linked plugins.
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
}

extension PluginEntry: ExpressibleByStringLiteral {
    /// A path if it has a `/`, else an id.
    public init(stringLiteral name: String) { self.init(name) }
}
