import Plugboard
import PlugboardJSON
import PlugboardSystem
import PluginLoader

/// The plugins that exist and do not take part, with the reasons.
struct Absence {
    let plugins: [AbsentPlugin]

    /// The plugins that do not run, of those linked, those named by the configuration, and those in its
    /// `kernel.pluginFolders`. Files in these folders are read, but none of their code is run.
    init(from resolved: ResolvedPlugins, _ configuration: Configuration) {
        let loader = PluginArguments.loader(for: configuration)
        var plugins = resolved.absent.map { plugin in
            let file = plugin.id == nil ? plugin.path.flatMap { try? loader.inspect($0) } : nil
            return AbsentPlugin(id: plugin.id ?? file?.metadata?.id, path: plugin.path, reason: plugin.reason)
        }
        let running = resolved.plugins.compactMap { plugin in
            if case .loaded(let path) = plugin.linkage { path } else { nil }
        }
        var known = Set((running + plugins.compactMap(\.path)).compactMap { try? loader.inspect($0).path })
        for folder in configuration.kernel.pluginFolders {
            for path in Absence.objects(in: folder) {
                guard let file = try? loader.inspect(path), known.insert(file.path).inserted else { continue }
                plugins.append(AbsentPlugin(id: file.metadata?.id, path: file.path, reason: .unlisted))
            }
        }
        self.plugins = plugins
    }

    /// The plugins that do not run, and the enabled plugins that take no part in one request.
    init(of request: Request, from resolved: ResolvedPlugins, _ configuration: Configuration) {
        plugins =
            configuration.absent(from: request, of: resolved.plugins) + Absence(from: resolved, configuration).plugins
    }

    /// A section for people; empty if there are no such plugins. Linked plugins that are not named share a line.
    var text: String {
        guard !plugins.isEmpty else { return "" }
        let unlisted = plugins.filter(\.isLinkedAndUnlisted)
        let rows = plugins.filter { !$0.isLinkedAndUnlisted }.map { plugin in
            [
                "  " + Printable.text(plugin.name), Printable.text(plugin.id == nil ? "" : plugin.linkage),
                plugin.reason.text,
            ]
        }
        let names = unlisted.map { Printable.text($0.name) }.joined(separator: ", ")
        return "\nNot taking part:\n" + Table(rows: rows).text + (unlisted.isEmpty ? "" : "  unlisted: \(names)\n")
    }

    var json: JSONValue { .array(plugins.map { .object($0.json) }) }

    private static func objects(in folder: String) -> [String] {
        names(inFolder: folder).filter { $0.hasSuffix(".so") }.sorted().map { "\(folder)/\($0)" }
    }
}

extension AbsentPlugin {
    /// The id, or the file if the id is unknown.
    var name: String { id ?? path ?? "" }

    var linkage: String { path ?? "linked" }

    fileprivate var isLinkedAndUnlisted: Bool {
        if case .unlisted = reason { path == nil } else { false }
    }

    fileprivate var json: JSONObject {
        var object = JSONObject()
        if let id { object["id"] = .string(id) }
        if let path { object["path"] = .string(path) }
        object["reason"] = .string(reason.name)
        object["location"] = reason.location.map { .string($0) }
        return object
    }
}

extension AbsentPlugin.Reason {
    /// A value of JSON for programs.
    var name: String {
        switch self {
        case .unlisted: "unlisted"
        case .disabled: "disabled"
        case .leftOut: "safe"
        case .ofRequest: "request"
        case .ofOrigin: "origin"
        }
    }

    /// A text for people.
    var text: String {
        switch self {
        case .unlisted: "not listed by the configuration or by --plugin"
        case .disabled(let location): "disabled by \(Printable.text(location.description))"
        case .leftOut: "not loaded because of --safe"
        case .ofRequest: "disabled for this request by --attribute"
        case .ofOrigin(let location): "disabled for this origin by \(Printable.text(location.description))"
        }
    }

    fileprivate var location: String? {
        switch self {
        case .disabled(let location), .ofOrigin(let location): location.description
        case .unlisted, .leftOut, .ofRequest: nil
        }
    }
}
