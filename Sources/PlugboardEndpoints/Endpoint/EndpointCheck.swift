import PlugboardCodecs
import PlugboardCore
import PlugboardJSON
import Synchronization

/// Finds stored properties that have the name of a requirement of `Endpoint` but another type: they would have no
/// effect, because the default implements the requirement.
enum EndpointCheck {
    private static let checked = Mutex<Set<ObjectIdentifier>>([])

    /// The types of the requirements that a stored property may declare with another type.
    private static let types: [String: Any.Type] = [
        "method": Method.self, "path": String.self, "base": String.self, "parameters": Parameters.self,
        "queryParameters": Set<String>.self, "body": EndpointBody.self, "fields": Fields.self,
        "requestCodec": (any Codec)?.self, "usesCDN": Bool.self, "usesPathPrefix": Bool.self,
        "usesGeneralFields": Bool.self, "usesGeneralParameters": Bool.self, "usesGeneralUserInfo": Bool.self,
        "usesAdapters": Bool.self, "usesCookies": Bool.self, "cache": CacheUse.self,
        "validation": ResponseValidation.self, "timeouts": Timeouts.self, "credentials": Credentials.self,
        "attempts": Int.self, "debug": DebugBehavior.self, "endpointName": String.self, "identifier": String.self,
        "group": String.self, "tag": String.self, "category": String.self, "userInfo": [String: any Sendable].self,
        "priority": CallPriority.self, "responseCodec": (any Codec)?.self, "acceptableStatuses": StatusSet.self,
        "acceptableTypes": [String].self, "bodyLimit": ByteCount.self, "downloadPath": String.self,
    ]

    /// Throws `configuration` for such a property. Checks each type once.
    static func check<E: Endpoint>(_ endpoint: E) throws(PlugboardError) {
        let id = ObjectIdentifier(E.self)
        if checked.withLock({ $0.contains(id) }) { return }
        for (label, value) in storedProperties(of: endpoint) {
            guard let wanted = types[label], type(of: value) != wanted else { continue }
            throw PlugboardError(
                .configuration,
                "\(E.self).\(label) has the type \(type(of: value)), and the requirement of Endpoint has \(wanted): it would "
                    + "have no effect. Give it that type; for a parameter of this name, name the property otherwise and "
                    + "use a CodingKey.")
        }
        checked.withLock { _ = $0.insert(id) }
    }

    /// Removes the stored properties that implement a requirement from the encoded parameters. A property whose
    /// `CodingKey` is the name of a requirement is still a parameter. It is recognized by its value, because the key
    /// does not tell to which property it belongs.
    static func removeRequirements<E: Endpoint & Encodable>(of endpoint: E, from parameters: inout Parameters) {
        if !parameters.contains(where: { isRequirement($0.name) }) { return }
        for (label, value) in storedProperties(of: endpoint) where isRequirement(label) {
            if let parameter = parameters[label], isEqual(value, parameter) { parameters[label] = nil }
        }
    }

    /// Whether a parameter is the encoded value of a property with a type that such requirements have.
    private static func isEqual(_ property: Any, _ parameter: JSONValue) -> Bool {
        switch property {
        case let text as String: parameter == .string(text)
        case let flag as Bool: parameter == .bool(flag)
        case let number as Int: parameter == .number(JSONNumber(number))
        case let list as [String]: parameter == .array(list.map { .string($0) })
        // The elements are in the order in which this set encodes them.
        case let set as Set<String>: parameter == .array(set.map { .string($0) })
        default: false
        }
    }

    /// The stored properties with their values, including those of superclasses.
    private static func storedProperties<E: Endpoint>(of endpoint: E) -> [(name: String, value: Any)] {
        var properties: [(name: String, value: Any)] = []
        var mirror: Mirror? = Mirror(reflecting: endpoint)
        while let current = mirror {
            // The child of an enumeration is named after its case, not a property.
            for case (let name?, let value) in current.children where current.displayStyle != .enum {
                properties.append((name, value))
            }
            mirror = current.superclassMirror
        }
        return properties
    }

    /// Whether a stored property with this name implements a requirement instead of being a parameter. The labels are
    /// both.
    private static func isRequirement(_ name: String) -> Bool {
        types[name] != nil && !["identifier", "group", "tag", "category"].contains(name)
    }
}
