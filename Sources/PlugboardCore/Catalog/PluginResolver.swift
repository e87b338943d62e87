import PlugboardBorder
import PlugboardJSON
import PlugboardSystem

/// Finds the plugins of a configuration, checks their entries, and puts them in order. Notes all errors.
struct PluginResolver {
    /// An entry with the plugin that it means.
    private struct Candidate {
        let entry: PluginEntry
        let location: JSONPath
        let descriptor: PluginDescriptor
        let linkage: EnabledPlugin.Linkage
        let settings: [String: String]
    }

    let configuration: Configuration
    let catalog: Catalog
    private let loader: (any PluginFileLoader)?
    var reading: ConfigurationReading
    var warnings: [String] = []
    /// The descriptors of the plugins found so far, in no order.
    var descriptors: [PluginDescriptor] = []
    private var loadedPaths: Set<String> = []

    init(_ configuration: Configuration, catalog: Catalog, loader: (any PluginFileLoader)?) {
        self.configuration = configuration
        self.catalog = catalog
        let folders = configuration.kernel.pluginFolders
        self.loader = folders.isEmpty ? loader : loader?.searching(folders)
        reading = ConfigurationReading(source: configuration.source)
    }

    mutating func checkCatalog() {
        for error in catalog.errors {
            reading.note([], "cannot be used with this program's catalog: \(error.reason)", code: error.code)
        }
    }

    /// The plugins in their order, without those that have errors.
    mutating func plugins() -> [EnabledPlugin] {
        var candidates: [String: Candidate] = [:]
        for (index, entry) in configuration.plugins.enumerated() where entry.isEnabled {
            let location = entry.location ?? ["plugins", .index(index)]
            guard let (descriptor, linkage) = find(entry, location) else { continue }
            let settings = settings(of: entry, descriptor, location)
            if let first = candidates[descriptor.id] {
                noteSecond(descriptor.id, location, first.location)
                continue
            }
            if !(0...999).contains(entry.priority ?? 0) {
                reading.note(location.appending("priority"), "must be a whole number between 0 and 999")
            }
            candidates[descriptor.id] = Candidate(
                entry: entry, location: location, descriptor: descriptor, linkage: linkage, settings: settings)
        }
        descriptors = candidates.values.map(\.descriptor)
        for candidate in candidates.values.sorted(by: { $0.descriptor.id < $1.descriptor.id }) {
            checkNeighbours(of: candidate)
        }
        return inOrder(candidates)
    }

    private mutating func find(
        _ entry: PluginEntry, _ location: JSONPath
    ) -> (PluginDescriptor, EnabledPlugin.Linkage)? {
        if let path = entry.path { return load(path, entry, location).map { ($0, .loaded(path)) } }
        if let linked = entry.linked { return check(linked, entry, location).map { ($0, .linked) } }
        guard let id = entry.id else {
            reading.note(location, "must have an id, or the path of a file")
            return nil
        }
        if let descriptor = catalog.descriptor(id) { return (descriptor, .linked) }
        if reading.isFull { return nil }
        // The entry may be the id alone, or an object with it.
        let idLocation = location.appending("id")
        let hasOwnLocation = configuration.source?.positions?.position(of: idLocation) != nil
        reading.note(
            hasOwnLocation ? idLocation : location,
            "names no plugin that is linked into this program (\(id)); "
                + (Spelling.nearest(id, in: catalog.ids).map { "did you mean \($0)? There" } ?? "there")
                + " are \(catalog.ids.isEmpty ? "none" : catalog.ids.joined(separator: ", "))"
                + ". A plugin that is a shared object needs its path")
        return nil
    }

    /// Checks the plugin that the program's code gives.
    private mutating func check(
        _ linked: LinkedDescriptor, _ entry: PluginEntry, _ location: JSONPath
    ) -> PluginDescriptor? {
        do throws(PlugboardError) {
            let descriptor = try PluginDescriptor(checking: linked)
            guard entry.id == descriptor.id else {
                reading.note(location.appending("id"), "differs from the plugin's own id, \(descriptor.id)")
                return nil
            }
            return descriptor
        } catch {
            reading.note(location, "cannot be used: \(error.reason)", code: error.code)
            return nil
        }
    }

    private mutating func load(_ path: String, _ entry: PluginEntry, _ location: JSONPath) -> PluginDescriptor? {
        guard let loader else {
            reading.note(
                location,
                "names a file, but this program is built without PluginLoader; import it and pass `loader: .dynamic`"
            )
            return nil
        }
        do throws(PlugboardError) {
            let descriptor = try CrashNote.loading(path, configuration) { () throws(PlugboardError) in
                try loader.load(path, sha256: entry.sha256)
            }
            loadedPaths.insert(path)
            guard let id = entry.id, id != descriptor.id else { return descriptor }
            reading.note(location.appending("id"), "differs from the id of the plugin in the file, \(descriptor.id)")
        } catch {
            let cause = error.underlying.map { $0.isEmpty ? "" : " (\($0))" } ?? ""
            // The path of an entry that is not in the text, such as that of `--plugin`, does not help.
            let file = entry.location == nil ? "(\(Printable.text(path))) " : ""
            reading.note(location, "\(file)cannot be loaded: \(error.reason)\(cause)", code: error.code)
        }
        return nil
    }

    private mutating func noteSecond(_ id: String, _ location: JSONPath, _ first: JSONPath) {
        if reading.isFull { return }
        let line = configuration.source?.positions?.position(of: first).map { " in line \($0.line)" } ?? ""
        reading.note(location, "enables \(id) a second time; \(first)\(line) does already. Keep one")
    }

    /// Every setting of the table, from the entry or by default.
    private mutating func settings(
        of entry: PluginEntry, _ descriptor: PluginDescriptor, _ location: JSONPath
    ) -> [String: String] {
        let table = descriptor.settings
        var settings: [String: String] = [:]
        for option in table {
            settings[option.name] = option.fallback
            if option.isRequired && !entry.settings.contains(option.name) {
                reading.note(
                    location.appending("settings"), "must have \(option.name), which \(descriptor.id) requires")
            }
        }
        for (name, value) in entry.settings {
            let valueLocation = entry.location(ofSetting: name, in: location)
            guard let option = table.first(where: { $0.name == name }) else {
                reading.note(
                    valueLocation, unknown("setting of \(descriptor.id)", name, known: table.map(\.name)), atKey: true)
                continue
            }
            do throws(OptionError) {
                settings[name] = try option.text(of: value)
            } catch {
                reading.note(valueLocation, error.reason)
            }
        }
        return settings
    }

    private mutating func inOrder(_ candidates: [String: Candidate]) -> [EnabledPlugin] {
        let items = candidates.values.map { candidate in
            PluginOrder.Item(
                id: candidate.descriptor.id, priority: candidate.entry.priority ?? candidate.descriptor.priority,
                isConfigured: candidate.entry.priority != nil,
                before: candidate.descriptor.before + candidate.entry.before,
                after: candidate.descriptor.after + candidate.entry.after)
        }
        do throws(PlugboardError) {
            let order = try PluginOrder(items)
            for (id, names) in order.absent { warn(of: names, beside: candidates[id]) }
            return order.placed.compactMap { id, reason in
                candidates[id].map { candidate in
                    EnabledPlugin(
                        descriptor: candidate.descriptor, id: id, values: candidate.settings,
                        priority: candidate.entry.priority ?? candidate.descriptor.priority,
                        onFault: candidate.entry.onFault ?? .fail,
                        faultLimit: candidate.entry.faultLimit ?? PluginEntry.defaultFaultLimit,
                        isQuiet: configuration.isQuiet(candidate.descriptor),
                        linkage: candidate.linkage, reason: reason.description, location: candidate.location,
                        locations: configuration.locations(of: candidate.entry))
                }
            }
        } catch {
            reading.note(["plugins"], error.reason, code: error.code)
            return []
        }
    }

    /// Whether the plugin's own entry has no errors.
    func isSound(_ plugin: EnabledPlugin) -> Bool {
        let own = [plugin.location.description] + plugin.locations
        return !reading.errors.contains { error in
            own.contains { error.path == $0 || error.path.hasPrefix($0 + ".") }
        }
    }

    mutating func checkCount(_ count: Int) {
        guard count > Pipeline.limit else { return }
        reading.note(["plugins"], "enables \(count) plugins; at most \(Pipeline.limit) are possible")
    }

    // MARK: Names of other plugins

    /// The ids that a configuration can name: of linked plugins, of those that run, and of disabled entries.
    var knownIDs: Set<String> {
        Set(catalog.ids + descriptors.map(\.id) + (configuration.plugins + configuration.leftOut).compactMap(\.id))
    }

    /// Whether there are files whose plugins' ids are not known: they are disabled, or could not be loaded.
    var hasUnknownFiles: Bool {
        (configuration.plugins + configuration.leftOut).contains { entry in
            guard entry.id == nil, let path = entry.path else { return false }
            return !loadedPaths.contains(path)
        }
    }

    /// An unknown id in the configuration's own `before` and `after` is an error.
    private mutating func checkNeighbours(of candidate: Candidate) {
        guard !hasUnknownFiles else { return }
        let known = knownIDs
        for (key, names) in [("before", candidate.entry.before), ("after", candidate.entry.after)] {
            for (index, name) in names.enumerated() where !known.contains(name) {
                reading.note(
                    candidate.location.appending(.key(key)).appending(.index(index)),
                    "names \(Printable.text(name)), which \(unknown("plugin", name, known: known.sorted()))")
            }
        }
    }

    /// Warns of unknown ids in a plugin's own `before` and `after`. Plugins that are known but do not run are expected
    /// there.
    private mutating func warn(of names: [String], beside candidate: Candidate?) {
        guard let candidate else { return }
        let configured = candidate.entry.before + candidate.entry.after
        for name in names where catalog.descriptor(name) == nil && !configured.contains(name) {
            let near = Spelling.nearest(name, in: catalog.ids).map { "; did you mean \($0)?" } ?? ""
            warnings.append(
                "\(candidate.descriptor.id) names \(name) in before or after, which is not a known plugin\(near)")
        }
    }
}
