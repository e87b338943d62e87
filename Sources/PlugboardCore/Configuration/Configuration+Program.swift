import PlugboardBorder
import PlugboardJSON

extension Configuration {
    /// This configuration with the plugins that a program's code gives: they are enabled with the values that the
    /// code gives, and where this configuration has an entry for the same plugin, each value of that entry replaces the
    /// code's, and its `"enabled": false` leaves the plugin out.
    ///
    /// An entry is for the same plugin if it has the same id, or the same path. One with a path replaces a linked
    /// plugin by the file. `Kernel(configuration:plugins:)` does this.
    public func adding(_ plugins: [PluginEntry]) -> Configuration {
        var configuration = self
        for (index, plugin) in plugins.enumerated() {
            let location = JSONPath([.key(Configuration.programKey), "plugins", .index(index)])
            // One that the program gives twice is an error that `PluginResolver` notes.
            let isSecond = plugins[..<index].contains { $0.isSamePlugin(as: plugin) }
            let same = isSecond ? [] : self.plugins.indices.filter { self.plugins[$0].isSamePlugin(as: plugin) }
            for index in same { configuration.plugins[index].complete(with: plugin, at: location) }
            guard same.isEmpty else { continue }
            var plugin = plugin
            plugin.location = location
            plugin.programLocation = location
            configuration.plugins.append(plugin)
        }
        return configuration
    }

    /// The first key of the paths of what the program gives, which is in no text.
    static let programKey = "program"
}

extension PluginEntry {
    fileprivate func isSamePlugin(as other: PluginEntry) -> Bool {
        if let id, let otherID = other.id { return id == otherID }
        return path != nil && path == other.path
    }

    /// Takes the values that this entry does not give from the program's entry.
    fileprivate mutating func complete(with program: PluginEntry, at location: JSONPath) {
        if path == nil {
            path = program.path
            sha256 = sha256 ?? program.sha256
            linked = linked ?? program.linked
        }
        priority = priority ?? program.priority
        if before.isEmpty { before = program.before }
        if after.isEmpty { after = program.after }
        onFault = onFault ?? program.onFault
        faultLimit = faultLimit ?? program.faultLimit
        for (name, value) in program.settings where !settings.contains(name) {
            settings[name] = value
            programSettings.insert(name)
        }
        programLocation = location
    }

    /// The location at which the value of a setting is given.
    func location(ofSetting name: String, in entry: JSONPath) -> JSONPath {
        let own = programSettings.contains(name) ? programLocation ?? entry : entry
        return own.appending("settings").appending(.key(name))
    }
}
