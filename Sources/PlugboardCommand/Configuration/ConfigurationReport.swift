import Plugboard
import PlugboardCore
import PlugboardJSON
import PlugboardKit
import PlugboardMessages
import PlugboardSystem

/// What a configuration says, and where each value comes from. Values of secrets are not shown.
struct ConfigurationReport {
    struct Row: Equatable {
        /// The name of the value, such as `kernel.tls.verify`, `redirect.limit` or
        /// `origins.https://api.example.com.redirect.follow`.
        var name: String
        var value: String
        /// The file with the line, a variable of the environment, an option of the command line, or `default`.
        var source: String
    }

    private let configuration: Configuration
    /// What the configuration's text says.
    private let document: JSONValue
    /// The options `--set` of the command line.
    private let changes: [String]

    init(_ configuration: Configuration, changes: [String]) {
        self.configuration = configuration
        document = configuration.document ?? [:]
        self.changes = changes
    }

    func rows(_ resolved: ResolvedPlugins) -> [Row] {
        let schema = ConfigurationSchema.write(.bundled)["properties"]?["kernel"] ?? [:]
        return kernelRows(schema, ["kernel"], document["kernel"]) + resolved.plugins.flatMap(rows)
            + disabledRows(resolved) + originRows(resolved)
    }

    /// A line with the file, and a line for each row, in which the file is left out.
    func text(_ resolved: ResolvedPlugins, _ found: FoundConfiguration?) -> String {
        let file = document.objectValue?.isEmpty == false ? configuration.error(at: [], "").file : nil
        let title = file.map { "\($0)\(found.map { ", \($0.reason)" } ?? "")" } ?? "no file"
        let cells = rows(resolved).map { row in
            [row.name, file.map { row.source.replacing("\($0), ", with: "") } ?? row.source, row.value]
        }
        return "\(Printable.text(title))\n" + Table(rows: cells).text
    }

    // MARK: The kernel

    private func kernelRows(_ schema: JSONValue, _ path: JSONPath, _ given: JSONValue?) -> [Row] {
        (schema["properties"]?.objectValue ?? [:]).flatMap { key, schema -> [Row] in
            let path = path.appending(.key(key))
            if schema["properties"] != nil { return kernelRows(schema, path, given?[key]) }
            if let value = given?[key] {
                return [Row(name: path.description, value: text(value, of: key), source: source(path))]
            }
            let rows = variableRows(path.description)
            if !rows.isEmpty { return rows }
            return schema["default"].map { [Row(name: path.description, value: text($0, of: key), source: "default")] }
                ?? []
        }
    }

    /// The variables of the environment that count if the text has no value: the first that is set, or all for proxies.
    private static let variables = [
        "kernel.loops": ["PLUGBOARD_LOOPS"], "kernel.tls.ca": ["CURL_CA_BUNDLE", "SSL_CERT_FILE"],
        "kernel.proxy": proxyVariables,
        "kernel.noProxy": ["no_proxy", "NO_PROXY"], "kernel.dataDirectory": ["XDG_STATE_HOME"],
    ]

    private func variableRows(_ key: String) -> [Row] {
        let rows = (ConfigurationReport.variables[key] ?? []).compactMap { name -> Row? in
            guard let value = environment(name), !value.isEmpty else { return nil }
            let path = key == "kernel.dataDirectory" ? "\(value)/plugboard" : Printable.url(value)
            return Row(name: key, value: path, source: "environment: \(name)")
        }
        return key == "kernel.proxy" ? rows : Array(rows.prefix(1))
    }

    private func text(_ value: JSONValue, of key: String) -> String {
        switch (key, value) {
        case ("headers", .object(let headers)):
            JSONWriter.write(.object(JSONObject(headers.map { ($0, .string(shown($0, $1.stringValue ?? ""))) })))
        case ("proxy", .string(let url)): Printable.url(url)
        default: ConfigurationReport.text(value)
        }
    }

    private func shown(_ name: String, _ value: String) -> String {
        var fields = Fields()
        fields.append(FieldName(name), value)
        for name in configuration.kernel.secretFields { fields.markSecret(FieldName(name)) }
        return fields.first.map { Printable.value(of: $0) } ?? ""
    }

    // MARK: Plugins

    private func rows(of plugin: EnabledPlugin) -> [Row] {
        let entry = configuration.plugins.first { entry in
            entry.isEnabled && (entry.id == plugin.id || configuration.descriptor(of: entry)?.id == plugin.id)
        }
        let settings = plugin.settings
        return [Row(name: plugin.id, value: "enabled", source: entry.map(enabledBy) ?? "default")]
            + plugin.descriptor.settings.compactMap { option in
                settings[option.name].flatMap { value in
                    if value.isEmpty { return nil }
                    let name = "\(plugin.id).\(option.name)"
                    return Row(name: name, value: value, source: source(of: option.name, name, entry))
                }
            }
    }

    private func enabledBy(_ entry: PluginEntry) -> String {
        guard let path = entry.location else { return "--plugin" }
        // An entry that the text disables has been enabled by the command line.
        return value(at: path)?["enabled"] == false ? "--plugin" : source(path)
    }

    private func source(of setting: String, _ name: String, _ entry: PluginEntry?) -> String {
        if changes.contains(where: { $0.hasPrefix("\(name)=") }) { return "--set" }
        guard let entry, entry.settings.contains(setting), let path = entry.location else { return "default" }
        return source(path.appending("settings").appending(.key(setting)))
    }

    private func disabledRows(_ resolved: ResolvedPlugins) -> [Row] {
        resolved.absent.compactMap { plugin in
            switch plugin.reason {
            case .disabled(let location): Row(name: plugin.name, value: "disabled", source: location.description)
            case .leftOut: Row(name: plugin.name, value: "disabled", source: "--safe")
            case .unlisted, .ofRequest, .ofOrigin: nil
            }
        }
    }

    // MARK: Origins

    private func originRows(_ resolved: ResolvedPlugins) -> [Row] {
        (document["origins"]?.objectValue ?? [:]).flatMap { origin, plugins in
            (plugins.objectValue ?? [:]).flatMap { id, attributes -> [Row] in
                let descriptor =
                    resolved.plugins.first { $0.id == id }?.descriptor ?? Catalog.bundled.descriptor(id)
                return (attributes.objectValue ?? [:]).map { name, value in
                    // Any attribute of an unknown plugin may be a secret.
                    let option = descriptor?.attributes.first { $0.name == name }
                    let isSecret = option?.isSecret ?? (name != "enabled")
                    return Row(
                        name: "origins.\(origin).\(id).\(name)",
                        value: isSecret ? "<redacted>" : ConfigurationReport.text(value),
                        source: source(["origins", .key(origin), .key(id), .key(name)]))
                }
            }
        }
    }

    // MARK: Texts

    private static func text(_ value: JSONValue) -> String { value.stringValue ?? JSONWriter.write(value) }

    /// The file and the line of a value that the text says.
    private func source(_ path: JSONPath) -> String {
        let place = configuration.error(at: path, "")
        return "\(place.file ?? "standard input"), line \(place.line ?? 0)"
    }

    private func value(at path: JSONPath) -> JSONValue? {
        path.elements.reduce(document) { value, element in
            switch element {
            case .key(let key): value?[key]
            case .index(let index): value?.arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            }
        }
    }
}
