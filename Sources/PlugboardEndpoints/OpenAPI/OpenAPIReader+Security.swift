import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

extension OpenAPIReader {
    /// Reads the security schemes of the document. Schemes that cannot be expressed are kept as nil.
    mutating func readSchemes() {
        guard let value = root.value["components"]?["securitySchemes"] else { return }
        let list = ConfigurationNode(value: value, path: ["components", "securitySchemes"])
        guard let object = value.objectValue else {
            reading.noteOnce(list.path, "must be an object of security schemes, not \(value.kind)")
            return
        }
        for (name, value) in object {
            guard let node = references.resolve(list.member(name, value), &reading) else { continue }
            schemes[name] = .some(scheme(name, node))
        }
    }

    private mutating func scheme(_ name: String, _ node: ConfigurationNode) -> SecurityScheme? {
        let type = node.path.appending("type")
        switch node.value["type"]?.stringValue {
        case "http":
            switch node.value["scheme"]?.stringValue?.lowercased() {
            case "basic": return SecurityScheme(name, .basic)
            case "bearer": return SecurityScheme(name, .bearer)
            case nil: reading.noteOnce(node.path.appending("scheme"), "must be the name of a scheme, such as bearer")
            default:
                unsupported.noteOnce(
                    node.path.appending("scheme"), "is not one of basic and bearer; a plugin of your own can send it")
            }
        case "oauth2", "openIdConnect":
            return SecurityScheme(name, .bearer)
        case "apiKey":
            let places: [DefinedParameter.Place] = [.header, .query, .cookie]
            guard let key = node.value["name"]?.stringValue, !key.isEmpty,
                let place = places.first(where: { $0.rawValue == node.value["in"]?.stringValue })
            else {
                reading.noteOnce(node.path, "must have a name, and in: query, header or cookie")
                return nil
            }
            guard place == .query || place == .cookie && Method(key).isValid || KernelSettings.isHeaderName(key) else {
                reading.noteOnce(node.path.appending("name"), "is not a name that can be sent in \(place.rawValue)")
                return nil
            }
            return SecurityScheme(name, .key(place, key))
        case "mutualTLS":
            unsupported.noteOnce(
                type, "is not sent for one operation; set kernel.tls.certificate in the configuration")
        case let word?:
            reading.noteOnce(
                type,
                unknown("type", word, known: ["apiKey", "http", "mutualTLS", "oauth2", "openIdConnect"]))
        case nil:
            reading.noteOnce(type, "must be the type of the scheme, such as http")
        }
        return nil
    }

    /// Sets the security requirements of an operation: its own, or else the document's.
    mutating func readSecurity(of node: ConfigurationNode, into definition: inout Definition) {
        let owner = node.value["security"] == nil ? root : node
        guard let value = owner.value["security"] else { return }
        let list = owner.member("security", value)
        guard let entries = value.arrayValue else {
            reading.noteOnce(list.path, "must be a list of security requirements, not \(value.kind)")
            return
        }
        guard entries.count <= 100 else {
            reading.noteOnce(list.path, "has more than 100 entries")
            return
        }
        var needs = !entries.isEmpty
        for (index, entry) in entries.enumerated() {
            let own = ConfigurationNode(value: entry, path: list.path.appending(.index(index)))
            guard let object = entry.objectValue else {
                reading.noteOnce(own.path, "must be an object of scopes by schemes, not \(entry.kind)")
                continue
            }
            if object.isEmpty { needs = false }
            var entry: [SecurityScheme] = []
            var isWhole = true
            for (name, _) in object {
                guard let known = schemes[name] else {
                    reading.noteOnce(
                        own.path.appending(.key(name)),
                        unknown("security scheme", name, known: schemes.keys.sorted()), atKey: true)
                    continue
                }
                if let known { entry.append(known) } else { isWhole = false }
            }
            if isWhole { definition.security.append(entry) }
        }
        definition.needsAuthorization = entries.isEmpty ? false : needs ? true : nil
    }
}
