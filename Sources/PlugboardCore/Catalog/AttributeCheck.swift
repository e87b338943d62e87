import PlugboardBorder
import PlugboardJSON

/// Checks the attributes of requests against the tables of the enabled plugins.
///
/// Attributes of plugins that the configuration disables are accepted: disabling a plugin must not make requests fail.
/// Their secrets are refused, if their tables are known, and so are attributes of other plugins: a request that
/// names credentials must not be sent without them. For the attributes of a disabled file to be accepted, the
/// configuration must give the file's id.
package struct AttributeCheck: Sendable {
    private enum Option {
        /// `ID.enabled`, which every plugin has.
        case enabled
        /// `kernel.tag`: any text.
        case tag
        case described(OptionDefinition)
    }

    /// The options by their full names.
    private let options: [String: Option]
    /// The full names of each plugin's attributes, for errors.
    private let names: [String: [String]]
    /// The ids of plugins that the configuration disables.
    private let offIDs: Set<String>
    /// The ids of linked plugins that the configuration does not name.
    private let unlistedIDs: Set<String>
    /// Whether the configuration names a file that is not loaded without its plugin's id.
    private let hasUnknownFiles: Bool

    /// The full names of attributes of absent plugins that are known to be secret.
    private let absentSecrets: Set<String>

    package init(_ resolved: ResolvedPlugins) {
        self.init(resolved.plugins.map(\.descriptor), absent: resolved.absent, secrets: resolved.absentSecrets)
    }

    init(_ descriptors: [PluginDescriptor], absent: [AbsentPlugin] = [], secrets: Set<String> = []) {
        absentSecrets = secrets
        let off = absent.filter { $0.reason != .unlisted }
        offIDs = Set(off.compactMap(\.id))
        unlistedIDs = Set(absent.compactMap { $0.reason == .unlisted ? $0.id : nil })
        hasUnknownFiles = off.contains { $0.id == nil }
        var options: [String: Option] = [:]
        var names: [String: [String]] = [:]
        for descriptor in descriptors {
            let id = descriptor.id
            for attribute in descriptor.attributes { options["\(id).\(attribute.name)"] = .described(attribute) }
            options["\(id).enabled"] = .enabled
            names[id] = descriptor.attributes.map(\.name).filter { $0 != "enabled" } + ["enabled"]
        }
        options[Request.tagName] = .tag
        names["kernel"] = ["tag"]
        self.options = options
        self.names = names
    }

    /// Whether the table of the attribute's plugin says that it is secret.
    func isSecret(_ name: String) -> Bool {
        if case .described(let option)? = options[name] { return option.isSecret }
        return absentSecrets.contains(name)
    }

    /// Why a request with these attributes cannot be sent (`request.option`), or nil. Called from any thread.
    ///
    /// Each attribute costs one look-up.
    package func error(in attributes: Attributes) -> PlugboardError? {
        if attributes.isEmpty { return nil }
        let size = attributes.byteCount
        guard size <= Attributes.byteLimit else {
            return PlugboardError(
                .requestOption,
                "The request's attributes hold \(size) bytes, more than the \(Attributes.byteLimit) that are allowed.")
        }
        var worst: (name: String, reason: String)?
        for (name, text) in attributes.values {
            guard let reason = error(in: text, of: name) else { continue }
            // The result must not depend on the order of the dictionary.
            if worst.map({ name < $0.name }) ?? true { worst = (name, reason) }
        }
        return worst.map { name, reason in
            let end = reason.hasSuffix("?") ? "" : "."
            return PlugboardError(.requestOption, "The request's attribute \(Printable.text(name)) \(reason)\(end)")
        }
    }

    /// The error of one attribute, as the end of a sentence that begins with its name; nil if there is none.
    func error(in text: String, of name: String) -> String? {
        switch options[name] {
        case .enabled: Bool.optionForm.read(text) == nil ? "must be true or false" : nil
        case .tag: nil
        case .described(let option): option.error(in: text)
        case nil:
            if let id = plugin(of: name) {
                unknown("attribute of \(id)", String(name.dropFirst(id.count + 1)), known: names[id] ?? [])
            } else {
                errorOfAbsentPlugin(in: text, of: name)
            }
        }
    }

    /// The error in an attribute of a plugin that is not enabled.
    private func errorOfAbsentPlugin(in text: String, of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else {
            return "has no plugin's id; write PLUGIN-ID.name, such as cache.mode"
        }
        // `ID.enabled = false` for a plugin that does not run has no effect and is accepted.
        if name[dot...] == ".enabled" && text == "false" { return nil }
        if let id = id(of: name, among: { offIDs.contains($0) }) {
            guard absentSecrets.contains(name) else { return nil }
            return
                "is a secret for the plugin \(id), which is disabled, so that the request would be sent without it; "
                + "enable the plugin, or leave the attribute out"
        }
        if let id = id(of: name, among: { unlistedIDs.contains($0) }) {
            return "belongs to the plugin \(id), which is not enabled; \(AttributeCheck.wayOut("it"))"
        }
        let near = Spelling.nearest(
            String(name[..<dot]), in: names.keys.sorted() + offIDs.sorted() + unlistedIDs.sorted())
        let wayOut =
            hasUnknownFiles
            ? "if its plugin is a file that is disabled, write the plugin's id beside the file's path"
            : AttributeCheck.wayOut("the plugin")
        let help = near.map { "did you mean \($0)\(name[dot...])?" } ?? wayOut
        return "belongs to no enabled plugin; \(help)"
    }

    private static func wayOut(_ plugin: String) -> String {
        "add \(plugin) to the configuration's plugins, or leave the attribute out"
    }

    /// Whether an enabled plugin has an attribute of this full name.
    func knows(_ name: String) -> Bool { options[name] != nil }

    /// Whether an attribute of this name can be set to this text, where its value fits: an enabled plugin has it, or
    /// it is accepted although its plugin is not enabled.
    func admits(_ name: String, _ text: String) -> Bool {
        knows(name) || plugin(of: name) == nil && errorOfAbsentPlugin(in: text, of: name) == nil
    }

    /// The enabled plugin that an attribute belongs to.
    func plugin(of name: String) -> String? { id(of: name) { names[$0] != nil } }

    /// The plugin of a full name: ids may have dots, so the longest that fits.
    private func id(of name: String, among isKnown: (String) -> Bool) -> String? {
        var rest = name[...]
        while let dot = rest.lastIndex(of: ".") {
            rest = rest[..<dot]
            let id = String(rest)
            if isKnown(id) { return id }
        }
        return nil
    }
}
