import ArgumentParser
import Plugboard
import PlugboardEndpoints
import PlugboardJSON
import PlugboardKit
import PlugboardSystem
import PluginLoader

/// The options of plugins, for all verbs that start a kernel.
struct PluginArguments: ParsableArguments {
    @Option(
        name: .customLong("config"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The configuration; - is standard input. Without it, that of PLUGBOARD_CONFIG or else the user's own is used, which "
                + "plugboard config path shows.", valueName: "file"), completion: .file())
    var configs: [String] = []
    @Flag(name: .customLong("no-config"), help: "Uses no configuration.") var usesNoConfiguration = false
    @Option(
        name: .customLong("plugin"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Enables one more plugin: an id, or the path of a file.", valueName: "id|path"),
        completion: PluginCompletion.plugins)
    var names: [String] = []
    @Option(
        name: .customLong("set"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A setting of a plugin; replaces the configuration's, and relative paths begin at the folder of its file.",
            valueName: "plugin.key=value"), completion: PluginCompletion.settings)
    var settings: [String] = []

    @Flag(help: "Loads no shared objects: only linked plugins run.")
    var safe = false

    /// Whether none of these options is given.
    var isEmpty: Bool { configs.isEmpty && !usesNoConfiguration && names.isEmpty && settings.isEmpty && !safe }

    func validate() throws {
        guard configs.count <= 1 else {
            throw ValidationError("There is one configuration: give --config once, and change its settings with --set.")
        }
        if usesNoConfiguration && !configs.isEmpty { throw ValidationError("Give --config or --no-config, not both.") }
    }

    /// The configuration with the changes of the command line.
    ///
    /// - Parameter enable: Enables further plugins, before `--set` is applied.
    func configuration(_ enable: (inout Configuration) throws -> Void = { _ in }) throws -> Configuration {
        var configuration = try file().map { try PluginArguments.configuration(at: $0) } ?? Configuration()
        for name in names { try configuration.switchOn(name) }
        try enable(&configuration)
        if safe { configuration.leaveOutLoadedPlugins() }
        if !settings.isEmpty { PluginArguments.reportCrashes(configuration) }
        for setting in settings { try configuration.set(setting) }
        return configuration
    }

    /// The configuration's file: that of the command line, or the one that is found; nil for none.
    private func file() throws -> String? {
        if let config = configs.first { return config }
        guard !usesNoConfiguration, let found = FoundConfiguration.current, let path = try found.usablePath() else {
            return nil
        }
        found.use()
        return path
    }

    /// The sections of configurations that belong to no plugin and not to the kernel.
    static let sections: Set<String> = [Definitions.section]

    private static func configuration(at path: String) throws -> Configuration {
        guard case .standardInput = InputArgument(path: path) else { return try .file(path, sections: sections) }
        let bytes = try InputArgument.standardInput.bytes(for: "--config")
        return try .text(String(decoding: bytes, as: UTF8.self), sections: sections)
    }

    /// The plugins in their order, for verbs that need it without a kernel.
    static func resolved(of configuration: Configuration) throws -> ResolvedPlugins {
        reportCrashes(configuration)
        return try ResolvedPlugins(configuration, catalog: .bundled, loader: loader(for: configuration))
    }

    /// Reports crashes of earlier processes. Call this before files are loaded, because loading may crash again; a
    /// kernel does it by itself.
    static func reportCrashes(_ configuration: Configuration) {
        CrashNote.report(configuration, to: .standardError(level: configuration.kernel.logLevel))
    }

    static func loader(for configuration: Configuration) -> DynamicLoader {
        let folders = configuration.kernel.pluginFolders
        return DynamicLoader(folders: folders.isEmpty ? nil : folders)
    }

    /// An absolute path; relative paths of the command line begin at the working folder.
    static func absolute(_ path: String) -> String {
        normalized(path.hasPrefix("/") ? path : "\(workingFolder)/\(path)")
    }

    /// Splits `plugin.name=value`.
    static func split(_ text: String, option: String) throws(CommandFailure) -> (name: String, value: String) {
        guard let equals = text.firstIndex(of: "="), text[..<equals].contains(".") else {
            throw CommandFailure(.usage, "\(option) must be plugin.name=value.")
        }
        return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }

    /// The error of an option for a plugin that is not enabled.
    static func notEnabled(_ option: String, _ name: String, among ids: [String]) -> CommandFailure {
        let id = String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)])
        let near = Spelling.nearest(id, in: ids).map { " Did you mean \($0)?" } ?? ""
        return CommandFailure(.usage, "\(option): no plugin of this name is enabled.\(near)")
    }
}

extension Configuration {
    /// Adds a plugin, or enables its entry if there is one.
    ///
    /// - Parameter option: The option that enables it, for the error.
    mutating func switchOn(_ name: String, for option: String = "--plugin") throws(CommandFailure) {
        let isPath = name.contains("/")
        // Relative paths of the command line begin at the working folder, not at the configuration's folders.
        let path = isPath ? PluginArguments.absolute(name) : nil
        let index = plugins.firstIndex { entry in
            if let path { entry.path.map(normalized) == path } else { entry.id == name }
        }
        if let index {
            plugins[index].isEnabled = true
        } else if path == nil && Catalog.bundled.descriptor(name) == nil {
            let ids = Catalog.bundled.ids
            let near = Spelling.nearest(name, in: ids).map { " Did you mean \($0)?" } ?? ""
            let all = ids.isEmpty ? "No plugins are linked" : "Linked are \(ids.joined(separator: ", "))"
            throw CommandFailure(
                .usage,
                "\(option) \(Printable.text(name)): no plugin of this name is linked into this program.\(near) \(all). "
                    + "For a shared object, give its path, with a slash.")
        } else {
            plugins.append(PluginEntry(path ?? name))
        }
    }

    /// Puts a setting of `--set` into its plugin's entry, in the type that the plugin's table names.
    fileprivate mutating func set(_ setting: String) throws(CommandFailure) {
        let (name, value) = try PluginArguments.split(setting, option: "--set")
        let descriptors = plugins.map { $0.isEnabled ? descriptor(of: $0) : nil }
        // Ids can contain dots, so the longest matching id.
        let fitting = descriptors.indices.filter { descriptors[$0].map { name.hasPrefix("\($0.id).") } ?? false }
        guard let index = fitting.max(by: { length(descriptors[$0]) < length(descriptors[$1]) }),
            let descriptor = descriptors[index]
        else {
            throw PluginArguments.notEnabled("--set \(name)", name, among: descriptors.compactMap { $0?.id })
        }
        let key = String(name.dropFirst(descriptor.id.count + 1))
        guard let option = descriptor.settings.first(where: { $0.name == key }) else {
            throw CommandFailure(.usage, "--set \(name) \(Configuration.unknown(key, descriptor))")
        }
        // Checked here, so that the error names the option and not the file.
        if let error = option.error(in: value) {
            throw CommandFailure(.usage, "--set \(name) \(error).")
        }
        plugins[index].settings[key] = Configuration.value(value, option.kind)
    }

    /// Whether it mentions a plugin, enabled or not. Opens the files of enabled plugins.
    func names(_ id: String) -> Bool {
        plugins.contains { entry in
            entry.id == id || entry.path != nil && entry.isEnabled && descriptor(of: entry)?.id == id
        }
    }

    func descriptor(of entry: PluginEntry) -> PluginDescriptor? {
        if let path = entry.path {
            return try? CrashNote.loading(path, self) { () throws(PlugboardError) in
                try PluginArguments.loader(for: self).load(path, sha256: entry.sha256)
            }
        }
        return entry.id.flatMap { Catalog.bundled.descriptor($0) }
    }

    private static func unknown(_ key: String, _ descriptor: PluginDescriptor) -> String {
        let names = descriptor.settings.map(\.name)
        if let near = Spelling.nearest(key, in: names) {
            return "is not a known setting. Did you mean \(descriptor.id).\(near)?"
        }
        let known = names.isEmpty ? "The plugin has none." : "Known are \(names.joined(separator: ", "))."
        return "is not a known setting. \(known)"
    }

    /// A value of the setting's type. A text that does not fit stays text, and the kernel reports it.
    private static func value(_ text: String, _ kind: OptionKind?) -> JSONValue {
        switch kind {
        case .bool, .integer, .list, .map: (try? JSONParser.parse(text)) ?? .string(text)
        case .text, .duration, .size, nil: .string(text)
        }
    }
}

private func length(_ descriptor: PluginDescriptor?) -> Int { descriptor?.id.utf8.count ?? 0 }

/// The working folder, where relative paths of the command line begin.
private var workingFolder: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
}

/// An absolute path without `.` and empty parts; `..` stays, because it may follow a link.
private func normalized(_ path: String) -> String {
    "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
}
