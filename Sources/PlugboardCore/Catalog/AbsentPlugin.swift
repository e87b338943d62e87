import PlugboardBorder
import PlugboardJSON

/// A plugin that is available but does not run, with the reason.
package struct AbsentPlugin: Sendable, Equatable {
    /// Why a plugin does not run.
    package enum Reason: Sendable, Equatable {
        /// The configuration does not name it.
        case unlisted
        /// Its entry says `"enabled": false`. The location is the configuration's file, line and path, as far as they
        /// are known.
        case disabled(location: Location)
        /// `Configuration.leaveOutLoadedPlugins` (`--safe`) has left it out.
        case leftOut
        /// A request says `ID.enabled = false`.
        case ofRequest
        /// The configuration disables it for requests to the origin, at this location.
        case ofOrigin(location: Location)
    }

    /// A place in a configuration, such as `plugboard.json, line 4: plugins[1].enabled`.
    ///
    /// The line is found when the description is read, because that takes a pass over the text.
    package struct Location: Sendable, Equatable, CustomStringConvertible {
        fileprivate let path: JSONPath
        fileprivate let source: ConfigurationSource?

        package var description: String {
            let error = ConfigurationError(path, "", in: source)
            let text = [error.file, error.line.map { "line \($0)" }].compactMap { $0 }.joined(separator: ", ")
            return text.isEmpty ? error.path : "\(text): \(error.path)"
        }

        package static func == (left: Location, right: Location) -> Bool { left.description == right.description }
    }

    /// The plugin's id; nil for a file that was not opened.
    package let id: String?
    /// The path in the configuration; nil for linked plugins.
    package let path: String?
    /// Why it does not run.
    package let reason: Reason

    package init(id: String?, path: String?, reason: Reason) {
        self.id = id
        self.path = path
        self.reason = reason
    }
}

extension Configuration {
    /// The plugins of this configuration that do not run, in its order; then the plugins of the catalog that it does
    /// not name, by id. Opens no files.
    func absent(from catalog: Catalog, beside running: [EnabledPlugin]) -> [AbsentPlugin] {
        let entries = plugins.enumerated().map { ($1.location ?? ["plugins", .index($0)], $1) }
        let named =
            entries.compactMap { location, entry in entry.isEnabled ? nil : disabled(entry, location) }
            + leftOut.map { entry in
                if !entry.isEnabled, let location = entry.location { return disabled(entry, location) }
                return AbsentPlugin(id: entry.id, path: entry.path, reason: .leftOut)
            }
        let known = Set(running.map(\.id))
        let loaded = Set(
            running.compactMap { plugin in if case .loaded(let path) = plugin.linkage { path } else { nil } })
        // A plugin that one entry disables and another enables is not absent.
        let absent = named.filter { plugin in
            plugin.path.map { !loaded.contains($0) } ?? plugin.id.map { !known.contains($0) } ?? false
        }
        let listed = known.union(absent.compactMap(\.id))
        return absent
            + catalog.ids.filter { !listed.contains($0) }.map { AbsentPlugin(id: $0, path: nil, reason: .unlisted) }
    }

    /// The running plugins that do not take part in a request, because of the request itself or of the configuration
    /// for its origin.
    package func absent(from request: Request, of running: [EnabledPlugin]) -> [AbsentPlugin] {
        let origin = Origin(url: RequestDefaults(kernel)?.url(request.url) ?? request.url)
        let section = origin.flatMap { origins[$0] }
        return running.compactMap { plugin in
            let name = "\(plugin.id).enabled"
            let path: String? = if case .loaded(let path) = plugin.linkage { path } else { nil }
            if let own = request.attributes[name] {
                return own == "false" ? AbsentPlugin(id: plugin.id, path: path, reason: .ofRequest) : nil
            }
            guard let origin, section?[name] == "false" else { return nil }
            let location = location(location(of: origin).appending(.key(plugin.id)).appending("enabled"))
            return AbsentPlugin(id: plugin.id, path: path, reason: .ofOrigin(location: location))
        }
    }

    private func disabled(_ entry: PluginEntry, _ location: JSONPath) -> AbsentPlugin {
        AbsentPlugin(
            id: entry.id, path: entry.path, reason: .disabled(location: self.location(location.appending("enabled"))))
    }

    /// The positions at which an entry is given: in texts, and in the program's code.
    func locations(of entry: PluginEntry) -> [String] {
        guard let location = entry.location else {
            return [entry.programLocation?.description ?? Configuration.programKey]
        }
        let program = entry.programLocation.map { $0 == location ? [] : [$0.description] } ?? []
        return [self.location(location).description] + program
    }

    private func location(_ path: JSONPath) -> AbsentPlugin.Location {
        AbsentPlugin.Location(path: path, source: source)
    }
}
