import PlugboardBorder
import PlugboardJSON
import PlugboardSystem

extension PluginResolver {
    /// Warns of missing folders. They are no errors, because they may be made later.
    mutating func checkFolders() {
        for (index, folder) in configuration.kernel.pluginFolders.enumerated() {
            guard let directory = opendir(folder) else {
                let location = JSONPath(["kernel", "pluginFolders", .index(index)])
                warnings.append("\(location) is \(Printable.text(folder)), which is no folder that can be read")
                continue
            }
            closedir(directory)
        }
    }

    /// Checks the attributes that the configuration gives requests. Called after `plugins`, even if they have no order.
    mutating func checkOrigins() {
        // Attributes of plugins that the configuration disables are checked, too.
        let off = configuration.plugins.compactMap { entry in
            entry.isEnabled || entry.path != nil ? nil : entry.id.flatMap { catalog.descriptor($0) }
        }
        let running = Set(descriptors.map(\.id))
        let check = AttributeCheck(descriptors + off.filter { !running.contains($0.id) })
        for (origin, attributes) in configuration.origins.sorted(by: { $0.key.description < $1.key.description }) {
            let location = configuration.location(of: origin)
            var absent: Set<String> = []
            for (name, text) in attributes.values.sorted(by: { $0.key < $1.key }) {
                guard let id = check.plugin(of: name) else {
                    absent.insert(name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name)
                    continue
                }
                if let error = check.error(in: text, of: name) {
                    let attribute = String(name.dropFirst(id.count + 1))
                    reading.note(
                        location.appending(.key(id)).appending(.key(attribute)), error, atKey: !check.knows(name))
                }
            }
            for id in absent.sorted() { checkAbsentPlugin(id, at: location.appending(.key(id))) }
        }
    }

    /// Checks an origin's section for a plugin that does not run.
    private mutating func checkAbsentPlugin(_ id: String, at location: JSONPath) {
        let named = (configuration.plugins + configuration.leftOut).contains { $0.id == id }
        guard !named, !hasUnknownFiles else { return }
        if catalog.descriptor(id) != nil {
            reading.note(location, "belongs to the plugin \(id), which is not enabled; add it to plugins", atKey: true)
        } else {
            reading.note(location, unknown("plugin", id, known: knownIDs.sorted()), atKey: true)
        }
    }
}
