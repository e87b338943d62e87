import JSON
import PlugboardKit

/// Checks what requests say to plugins against the tables of those that are enabled.
///
/// Attributes of other plugins pass: a request may be made for a configuration with more plugins than this one.
public struct AttributeCheck: Sendable {
    private enum Option {
        /// `ID.enabled`, which every plugin has.
        case enabled
        case described(OptionDescription)
    }

    /// By the whole name.
    private let options: [String: Option]
    /// The whole names of each plugin's attributes, for errors.
    private let names: [String: [String]]

    public init(_ plugins: [EnabledPlugin]) {
        self.init(plugins.map(\.descriptor))
    }

    init(_ descriptors: [PluginDescriptor]) {
        var options: [String: Option] = [:]
        var names: [String: [String]] = [:]
        for descriptor in descriptors {
            let id = descriptor.id
            for attribute in descriptor.attributes { options["\(id).\(attribute.name)"] = .described(attribute) }
            options["\(id).enabled"] = .enabled
            names[id] = descriptor.attributes.map(\.name).filter { $0 != "enabled" } + ["enabled"]
        }
        self.options = options
        self.names = names
    }

    /// Why a request with these attributes cannot be sent (`request.option`), or nil. Called from any thread.
    ///
    /// No attributes cost nothing, others one look-up each.
    public func fault(in attributes: Attributes) -> PlugboardError? {
        if attributes.isEmpty { return nil }
        let size = attributes.byteCount
        guard size <= Attributes.byteLimit else {
            return PlugboardError(
                .invalidOption,
                "The request's attributes hold \(size) bytes, more than the \(Attributes.byteLimit) that are allowed.")
        }
        var worst: (name: String, reason: String)?
        for (name, text) in attributes.values {
            guard let reason = fault(in: text, of: name) else { continue }
            // Always the same one, whatever the order of the dictionary.
            if worst.map({ name < $0.name }) ?? true { worst = (name, reason) }
        }
        return worst.map { name, reason in
            let end = reason.hasSuffix("?") ? "" : "."
            return PlugboardError(.invalidOption, "The request's attribute \(name) \(reason)\(end)")
        }
    }

    /// What is wrong with one attribute, as the end of a sentence that begins with its name; nil if nothing is, or if its
    /// plugin is not enabled.
    func fault(in text: String, of name: String) -> String? {
        switch options[name] {
        case .enabled: Bool(optionText: text) == nil ? "must be true or false" : nil
        case .described(let option): option.fault(in: text)
        case nil:
            plugin(of: name).map { id in
                unknown("attribute of \(id)", String(name.dropFirst(id.count + 1)), known: names[id] ?? [])
            }
        }
    }

    /// Whether an enabled plugin has an attribute of this whole name.
    func knows(_ name: String) -> Bool { options[name] != nil }

    /// Whether an attribute of this whole name can be: an enabled plugin has it, or its plugin is not enabled.
    func admits(_ name: String) -> Bool { knows(name) || plugin(of: name) == nil }

    /// The enabled plugin that an attribute speaks to: ids may have dots, so the longest that fits.
    func plugin(of name: String) -> String? {
        var rest = name[...]
        while let dot = rest.lastIndex(of: ".") {
            rest = rest[..<dot]
            let id = String(rest)
            if names[id] != nil { return id }
        }
        return nil
    }
}
