import PlugboardJSON
import PlugboardKit

/// A part of an OpenAPI document with its JSON Pointer (RFC 6901).
struct OpenAPINode {
    let value: JSONValue
    let pointer: String

    init(_ value: JSONValue, _ pointer: String) {
        self.value = value
        self.pointer = pointer
    }

    subscript(_ key: String) -> OpenAPINode? {
        JSONPointer.part(key, of: value).map { OpenAPINode($0, "\(pointer)/\(JSONPointer.escaped(key))") }
    }

    var members: [(key: String, node: OpenAPINode)] {
        (value.objectValue ?? [:]).map { ($0.key, OpenAPINode($0.value, "\(pointer)/\(JSONPointer.escaped($0.key))")) }
    }
}
