import PlugboardBorder
import PlugboardJSON

/// What to run: the kernel's own settings, the plugins, and attributes for requests to some origins.
///
///     let configuration = Configuration(plugins: ["logging", .init("cache", settings: ["memory": "16MiB"])])
///     let configuration = try Configuration.file("plugboard.json")
///
/// `errors` reports plugins that do not exist and settings that do not fit. The module PlugboardConfiguration has
/// `file`, `text` and `check`, which read texts.
public struct Configuration: Sendable {
    /// The settings of the kernel itself.
    public var kernel: KernelSettings
    /// The plugins in any order: the order in which they run comes from their priorities.
    public var plugins: [PluginEntry]
    /// Default attributes of requests, by origin; `requests(to:_:)` sets them by their types.
    public var origins: [Origin: Attributes]
    /// The unread contents of registered sections, by their names.
    public var sections: [String: JSONValue]

    /// The only command that the program was started for, as by `plugboard ID NAME`. If its definition says `isQuiet`,
    /// the plugin must not start work by itself (`PluginHost.isQuiet`). Nil in other programs.
    public var onlyCommand: (plugin: String, name: String)?

    /// Entries that `leaveOutLoadedPlugins` has removed.
    private(set) var leftOut: [PluginEntry] = []

    /// The errors of the text that this was read from, and of `requests(to:_:)`.
    package var readingErrors: [ConfigurationError] = []

    /// The text that this was read from; nil when it was made in code.
    package var source: ConfigurationSource?

    /// The value of the text that this was read from, even if the program has changed the configuration since.
    package var document: JSONValue? { source?.positions?.value }

    /// Where relative paths begin; nil when it was made in code.
    package var folder: String?

    /// A configuration made in code. Nothing is checked here: see `errors`.
    public init(
        kernel: KernelSettings = KernelSettings(), plugins: [PluginEntry] = [], origins: [Origin: Attributes] = [:],
        sections: [String: JSONValue] = [:]
    ) {
        self.kernel = kernel
        self.plugins = plugins
        self.origins = origins
        self.sections = sections
    }

    /// Sets the default attributes of requests to an origin, with the properties that a request has.
    ///
    ///     configuration.requests(to: "https://api.example.com") { request in
    ///         request.authentication.bearer(token)
    ///         request.retry.attempts = 5
    ///     }
    ///
    /// An origin has attributes only: a field, an option or a body that the closure sets is one of `errors`.
    public mutating func requests(to origin: Origin, _ assign: (inout Request) -> Void) {
        var request = Request(.get, origin.description)
        request.attributes = origins[origin] ?? Attributes()
        assign(&request)
        origins[origin] = request.attributes
        let isMore = request.hasOptions || request.body != nil || !request.fields.isEmpty
        if isMore || request.method != .get || request.url != origin.description {
            let path = JSONPath([.key("origins"), .key(origin.description)])
            let reason = "can have attributes only, such as request.retry.attempts; remove what else the closure sets"
            readingErrors.append(error(at: path, reason))
        }
    }

    /// An error of a part of this configuration, with its line if it was read from a text. For code that reads
    /// sections.
    ///
    /// The reason ends a sentence that begins with the path, and quotes no values.
    public func error(at path: JSONPath, _ reason: String) -> ConfigurationError {
        ConfigurationError(path, reason, in: source)
    }
}

extension Configuration {
    /// Removes the plugins that are shared objects, so that only those that are linked into the program are left.
    ///
    /// For a start after one of them has ended the process. The log of that start names it.
    public mutating func leaveOutLoadedPlugins() {
        leftOut += plugins.filter { $0.path != nil }
        plugins.removeAll { $0.path != nil }
    }
}

/// The text that a configuration was read from, for errors that name a line.
package struct ConfigurationSource: Sendable {
    let file: String?
    /// Nil for a text that is no JSON.
    let positions: JSONPositions?
    /// What errors of the whole text call it.
    let subject: String
    /// Origins as they were written, where that differs from their normal form.
    package var originKeys: [Origin: String] = [:]

    package init(file: String?, positions: JSONPositions?, subject: String = "the configuration") {
        self.file = file
        self.positions = positions
        self.subject = subject
    }
}

extension Configuration {
    /// Whether the program was started only for a command of this plugin that is quiet.
    func isQuiet(_ plugin: PluginDescriptor) -> Bool {
        guard let onlyCommand, onlyCommand.plugin == plugin.id else { return false }
        return plugin.commands.contains { $0.name == onlyCommand.name && $0.isQuiet }
    }
}
