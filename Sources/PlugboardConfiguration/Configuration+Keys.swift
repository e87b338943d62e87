import PlugboardBorder
import PlugboardCore
import PlugboardJSON

extension Configuration {
    /// The keys of a whole configuration, with those of registered sections.
    static func keys(sections: Set<String>) -> [ConfigurationKey<Configuration>] {
        keys
            + sections.subtracting(keys.map(\.name)).sorted().map { name in
                ConfigurationKey(name, "The section \(name).", schema: [:]) { node, target, _ in
                    target.sections[name] = node.value
                }
            }
    }

    private static let keys: [ConfigurationKey<Configuration>] = [
        ConfigurationKey(
            "$schema", "The JSON Schema that an editor checks this file with.", schema: ["type": "string"],
            read: { _, _, _ in }),
        ConfigurationKey("kernel", "The kernel's own settings.", .kernel, \.kernel),
        ConfigurationKey(
            "plugins", "The plugins to run, in any order.", .list(.pluginEntry, "a list of plugins"), \.plugins),
        ConfigurationKey(
            "origins", "Attributes of requests to an origin that do not say otherwise.",
            schema: ["type": "object"], read: readOrigins),
    ]

    @Sendable private static func readOrigins(
        _ node: ConfigurationNode, into configuration: inout Configuration, _ reading: inout ConfigurationReading
    ) {
        guard let object = node.value.objectValue else {
            reading.note(node.path, "must be an object, not \(node.value.kind)")
            return
        }
        for (key, value) in object {
            let member = node.member(key, value)
            guard let origin = Origin(key) else {
                reading.note(node.path, noOrigin(key), at: member.path)
                continue
            }
            let attributes = readAttributes(member, &reading)
            guard configuration.origins.updateValue(attributes, forKey: origin) == nil else {
                reading.note(member.path, "is the same as another key, written in another form", atKey: true)
                continue
            }
            if origin.description != key { reading.source?.originKeys[origin] = key }
        }
    }

    /// Says what to write instead, where that is known.
    private static func noOrigin(_ key: String) -> String {
        // A URL can hold a password, so that it is not quoted as it is.
        if key.utf8.contains(UInt8(ascii: "@")) {
            return "has a key that is not an origin; write scheme://host or scheme://host:port, without a user"
        }
        let shown = Printable.url(key)
        guard key.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "has the key \(shown), which is not an origin; write the host as xn--…"
        }
        let near = Origin(url: URLParts(key)?.authority == nil ? "https://\(key)" : key)
        let form = near?.description ?? "scheme://host or scheme://host:port"
        return "has the key \(shown), which is not an origin; write \(form)"
    }

    /// Attributes by plugins, as in the section of an origin.
    package static func readAttributes(
        _ node: ConfigurationNode, _ reading: inout ConfigurationReading
    ) -> Attributes {
        var attributes = Attributes()
        guard let plugins = node.value.objectValue else {
            reading.note(node.path, "must be an object of plugins' ids, not \(node.value.kind)")
            return attributes
        }
        for (id, value) in plugins {
            let plugin = node.member(id, value)
            guard let options = value.objectValue else {
                reading.note(plugin.path, "must be an object of attributes, not \(value.kind)")
                continue
            }
            for (name, value) in options {
                if let text = value.attributeText {
                    attributes["\(id).\(name)"] = text
                } else {
                    reading.note(plugin.member(name, value).path, "must not be null; leave it out for the default")
                }
            }
        }
        if attributes.byteCount > Attributes.byteLimit {
            reading.note(node.path, "holds more than \(Attributes.byteLimit) bytes of attributes")
        }
        return attributes
    }
}

extension ConfigurationShape where Value == KernelSettings {
    fileprivate static var kernel: Self {
        Self(schema: ConfigurationKey.schema(of: KernelSettings.keys)) { node, reading in
            var settings = KernelSettings()
            reading.readMembers(of: node, KernelSettings.keys, into: &settings)
            if settings.defaults.tls.key != nil && node.value["tls"]?["certificate"] == nil {
                reading.note(node.path.appending("tls").appending("key"), "needs a certificate too")
            }
            return settings
        }
    }
}

extension JSONValue {
    /// The value as an attribute's text: lists and maps are JSON. Nil for null.
    fileprivate var attributeText: String? {
        switch self {
        case .null: nil
        case .bool(let bool): bool.description
        case .number(let number): number.int64.map { String($0) } ?? number.text
        case .string(let text): text
        case .array, .object: JSONWriter.write(self)
        }
    }
}
