import PlugboardKit

/// Turns the schemas of an OpenAPI document into JSON Schemas.
enum OpenAPISchemas {
    /// The document with properties that `hidden` (`readOnly` or `writeOnly`) marks no longer required, and with the
    /// `nullable` of 3.0 as a type.
    static func schemas(of document: JSONValue, hiding hidden: String, isVersion30: Bool) -> JSONValue {
        schema(document, hidden, isVersion30, namesMembers: false)
    }

    private static func schema(
        _ value: JSONValue, _ hidden: String, _ isVersion30: Bool, namesMembers: Bool
    ) -> JSONValue {
        switch value {
        case .array(let elements):
            return .array(elements.map { schema($0, hidden, isVersion30, namesMembers: false) })
        case .object(let object):
            var result = JSONObject()
            for (key, value) in object {
                if !namesMembers, isData(key) {
                    result[key] = value
                } else {
                    let hasNames = !namesMembers && isNamed(key)
                    result[key] = schema(value, hidden, isVersion30, namesMembers: hasNames)
                }
            }
            if !namesMembers {
                hide(hidden, in: &result)
                if isVersion30 { allowNull(in: &result) }
            }
            return .object(result)
        default: return value
        }
    }

    private static func hide(_ hidden: String, in schema: inout JSONObject) {
        guard let names = schema["required"]?.arrayValue, let properties = schema["properties"]?.objectValue else {
            return
        }
        let left = names.filter { name in
            name.stringValue.map { properties[$0]?[hidden]?.boolValue != true } ?? true
        }
        guard left.count < names.count else { return }
        // Draft 4 allows no empty list.
        schema["required"] = left.isEmpty ? nil : .array(left)
    }

    /// OpenAPI 3.0: `nullable` counts beside `type` only.
    private static func allowNull(in schema: inout JSONObject) {
        guard schema["nullable"]?.boolValue == true, let type = schema["type"], type.stringValue != nil else { return }
        schema["type"] = [type, "null"]
        if let values = schema["enum"]?.arrayValue, !values.contains(where: \.isNull) {
            schema["enum"] = .array(values + [.null])
        }
    }

    /// Whether the value of a key is data, and not a schema.
    private static func isData(_ key: String) -> Bool {
        switch key {
        case "example", "examples", "default", "enum", "const": true
        default: key.utf8.starts(with: "x-".utf8)
        }
    }

    /// Whether the keys of an object are names that the document's author chose.
    private static func isNamed(_ key: String) -> Bool {
        switch key {
        case "properties", "patternProperties", "schemas", "responses", "requestBodies", "content", "paths",
            "pathItems",
            "$defs", "definitions", "dependentSchemas":
            true
        default: false
        }
    }
}
