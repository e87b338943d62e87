import CPlugboard

/// The descriptor that a plugin's exported function returns, read in Swift: of linked and loaded plugins in any
/// language.
///
/// Sendable because a descriptor never changes, and lives at least as long as this.
public struct PluginDescriptor: @unchecked Sendable {
    /// The descriptor in C. That of an exported function is valid as long as the process lives, others as long as this
    /// value.
    public let raw: UnsafePointer<plug_plugin_v1>
    /// Keeps the descriptor in memory; nil if it is static.
    private let owner: LinkedDescriptor?

    /// The whole names, `ID.NAME`, of the attributes that the table flags as secret.
    package var secretAttributes: [String] { attributes.filter(\.isSecret).map { "\(id).\($0.name)" } }

    /// Checks that the descriptor can be used; the error says what is wrong with it.
    public init(checking raw: UnsafePointer<plug_plugin_v1>?) throws(PlugboardError) {
        try self.init(checking: raw, owner: nil)
    }

    package init(checking linked: LinkedDescriptor) throws(PlugboardError) {
        try self.init(checking: linked.raw, owner: linked)
    }

    private init(checking raw: UnsafePointer<plug_plugin_v1>?, owner: LinkedDescriptor?) throws(PlugboardError) {
        guard let raw else { throw PluginDescriptor.malformed("its function returned no descriptor") }
        let revision = raw.pointee.abi_revision
        guard revision == PLUG_ABI_REVISION else {
            throw PlugboardError(
                .loadingRevision,
                "The plugin uses revision \(revision) of the ABI, and this kernel uses revision \(PLUG_ABI_REVISION). "
                    + "Rebuild the plugin with this kernel's plugboard.h.")
        }
        self.init(unchecked: raw, owner: owner)
        if let fault = (faults + faultsOfOptions).first {
            throw PluginDescriptor.malformed(fault, PluginDescriptor.isWellFormed(id: id) ? id : nil)
        }
    }

    /// A descriptor of this kernel's revision, which may break rules.
    package init(unchecked raw: UnsafePointer<plug_plugin_v1>, owner: LinkedDescriptor? = nil) {
        self.raw = raw
        self.owner = owner
    }

    /// The rules that it breaks, beside those of its options, each as a clause.
    package var faults: [String] {
        let plugin = raw.pointee
        var faults: [String] = []
        func refuse(_ isRefused: Bool, _ fault: String) { if isRefused { faults.append(fault) } }
        refuse(
            !PluginDescriptor.isWellFormed(id: id),
            "its id is not made of words of letters, digits, '-' and '_', joined by single dots")
        refuse(
            PluginDescriptor.isReserved(id: id),
            "its id is the kernel's own, and so are those that begin with 'kernel.'")
        refuse(!(0...999).contains(priority), "its priority \(priority) is not between 0 and 999")
        refuse(plugin.create == nil, "it has no create function")
        let functions: [(Hooks, String, Bool)] = [
            (.request, "on_request", plugin.on_request != nil), (.response, "on_response", plugin.on_response != nil),
            (.failure, "on_failure", plugin.on_failure != nil), (.close, "on_close", plugin.on_close != nil),
            (.event, "on_event", plugin.on_event != nil),
        ]
        for (hook, name, exists) in functions {
            refuse(hooks.contains(hook) && !exists, "it lists \(name) but has no such function")
        }
        refuse(plugin.hooks >> UInt32(functions.count) != 0, "it lists an unknown hook")
        refuse(plugin.command_count > 0 && plugin.command == nil, "it lists commands but has no command function")
        refuse(plugin.provide_count > 0 && plugin.service == nil, "it provides services but has no service function")
        return faults
    }

    /// The rules that its settings and attributes break, each as a clause.
    package var faultsOfOptions: [String] {
        (settings + attributes).compactMap { option in
            if option.name.isEmpty || option.kind == nil {
                return "its option '\(option.name)' has no name or an unknown type"
            }
            if option.hasEmptyBounds {
                return "the minimum of its option '\(option.name)' is larger than the maximum; INT64_MAX is no maximum"
            }
            if option.fallback.isEmpty { return nil }
            return option.error(in: option.fallback).map { "the default of its option '\(option.name)' \($0)" }
        }
    }

    /// The id, as in `Manifest`.
    public var id: String { raw.pointee.id.string }
    /// The version, as in `Manifest`.
    public var version: String { raw.pointee.version.string }
    /// One line.
    public var documentation: String { raw.pointee.documentation.string }
    /// The default priority, as in `Manifest`.
    public var priority: Int { Int(raw.pointee.priority) }
    /// The hooks, as in `Manifest`.
    public var hooks: Hooks { Hooks(rawValue: raw.pointee.hooks) }
    /// Ids that must stand further in, as in `Manifest`.
    public var before: [String] { list(raw.pointee.before, raw.pointee.before_count).map(\.string) }
    /// Ids that must stand further out, as in `Manifest`.
    public var after: [String] { list(raw.pointee.after, raw.pointee.after_count).map(\.string) }
    /// Ids of the events that `on_event` is called for, `*.*` for all of plugins; empty: all.
    public var events: [String] { list(raw.pointee.events, raw.pointee.event_count).map(\.string) }
    /// Ids of the services that it provides, as in `Manifest`.
    public var provides: [String] { list(raw.pointee.provides, raw.pointee.provide_count).map(\.string) }
    /// Ids of the services that it needs or uses, as in `Manifest`.
    public var needs: [String] { list(raw.pointee.needs, raw.pointee.need_count).map(\.string) }
    /// The rows of the table of settings.
    public var settings: [OptionDefinition] {
        list(raw.pointee.settings, raw.pointee.setting_count).map(OptionDefinition.init)
    }
    /// The rows of the table of attributes.
    public var attributes: [OptionDefinition] {
        list(raw.pointee.attributes, raw.pointee.attribute_count).map(OptionDefinition.init)
    }
    /// The rows of the table of commands.
    public var commands: [CommandDefinition] {
        list(raw.pointee.commands, raw.pointee.command_count).map {
            CommandDefinition(
                $0.name.string, $0.documentation.string, arguments: $0.arguments.string,
                isQuiet: $0.flags & plug_command_flags(PLUG_COMMAND_QUIET) != 0)
        }
    }

    /// Whether the kernel itself uses an id, for its log, its counters and its data directory.
    public static func isReserved(id: String) -> Bool { id == "kernel" || id.hasPrefix("kernel.") }

    /// Whether an id is words of letters, digits, `-` and `_`, joined by single dots.
    public static func isWellFormed(id: String) -> Bool {
        id.utf8.allSatisfy(isWordByte)
            && id.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }

    /// An id of `before` or `after` without the `?` of an optional one.
    public static func id(inOrder name: String) -> String { name.hasSuffix("?") ? String(name.dropLast()) : name }

    /// Whether a byte may stand in ids and codes of errors: a letter, a digit, `.`, `-` or `_`.
    package static func isWordByte(_ byte: UInt8) -> Bool {
        FieldName.isTokenByte(byte) && !"!#$%&'*+^`|~".utf8.contains(byte)
    }

    private static func malformed(_ what: String, _ id: String? = nil) -> PlugboardError {
        PlugboardError(
            .loadingDescriptor, "The plugin\(id.map { " \($0)" } ?? "") cannot be used: \(what). Tell its author.")
    }
}

private func list<Element>(_ start: UnsafePointer<Element>?, _ count: UInt64) -> [Element] {
    Array(UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(clamping: count)))
}

extension PlugboardError.Code {
    /// The plugin was built for another revision of the ABI.
    public static let loadingRevision: Self = "loading.revision"
    /// The plugin's descriptor breaks the rules of the ABI.
    public static let loadingDescriptor: Self = "loading.descriptor"
}
