import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON

extension OpenAPIReader {
    /// Checks all references of the document, including those that no operation needs, each once.
    mutating func checkReferences() {
        // Uses a list instead of recursion, so that a deep document cannot overflow the stack.
        var rest: [(node: ConfigurationNode, namesItsMembers: Bool)] = [(root, false)]
        while let (node, namesItsMembers) = rest.popLast() {
            switch node.value {
            case .array(let elements):
                for (index, element) in elements.enumerated() where element.isContainer {
                    rest.append((ConfigurationNode(value: element, path: node.path.appending(.index(index))), false))
                }
            case .object(let object):
                if !namesItsMembers, let reference = object["$ref"]?.stringValue {
                    references.check(reference, at: node.path, &reading, &unsupported)
                }
                for (key, value) in object where value.isContainer {
                    if !namesItsMembers, OpenAPIReader.holdsData(key) { continue }
                    rest.append((node.member(key, value), !namesItsMembers && OpenAPIReader.namesMembers(key)))
                }
            default: break
            }
        }
    }

    /// Whether the value of a key is data, in which `$ref` has no meaning.
    private static func holdsData(_ key: String) -> Bool {
        switch key {
        case "example", "examples", "default", "enum", "const", "value": true
        default: key.hasPrefix("x-")
        }
    }

    /// Whether the keys of an object are names that the document's author chose.
    private static func namesMembers(_ key: String) -> Bool {
        switch key {
        case "properties", "patternProperties", "schemas", "responses", "parameters", "requestBodies", "headers",
            "securitySchemes", "links", "callbacks", "pathItems", "paths", "content", "encoding", "variables", "$defs",
            "definitions", "dependentSchemas", "mapping", "webhooks":
            true
        default: false
        }
    }
}

extension JSONValue {
    fileprivate var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }
}
