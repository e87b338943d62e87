import PlugboardCodecs
import PlugboardCore
import Synchronization

/// Finds stored properties that have the name of a requirement of `Endpoint` and another type: they look as if they
/// counted, and the default counts.
enum EndpointCheck {
    private static let checked = Mutex<Set<ObjectIdentifier>>([])

    /// The types of the requirements that a stored property can have another type for.
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

    /// Throws `configuration` for such a property. Each type is looked at once.
    static func check<E: Endpoint>(_ endpoint: E) throws(PlugboardError) {
        let id = ObjectIdentifier(E.self)
        if checked.withLock({ $0.contains(id) }) { return }
        let mirror = Mirror(reflecting: endpoint)
        // The child of an enumeration is its case, whose name is no property's.
        for (label, value) in mirror.children where mirror.displayStyle != .enum {
            guard let label, let wanted = types[label], type(of: value) != wanted else { continue }
            throw PlugboardError(
                .configuration,
                "\(E.self).\(label) has the type \(type(of: value)), and the requirement of Endpoint has \(wanted): it would "
                    + "have no effect. Give it that type; for a parameter of this name, name the property otherwise and "
                    + "use a CodingKey.")
        }
        checked.withLock { _ = $0.insert(id) }
    }
}
