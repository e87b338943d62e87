import PlugboardBorder
import PlugboardCore
import PlugboardJSON

/// The JSON Schema (2020-12) of a whole configuration, for editors.
///
/// Made from the tables that also read and check configurations. It accepts everything that the check accepts; only the
/// check knows bounds of times and sizes, bytes of texts, and cycles.
package enum ConfigurationSchema {
    /// - Parameter sections: The schemas of registered sections.
    package static func write(_ catalog: Catalog, sections: [String: JSONValue] = [:]) -> JSONValue {
        let descriptors = catalog.ids.compactMap { catalog.descriptor($0) }
        var schema = ConfigurationKey.schema(of: Configuration.keys(sections: Set(sections.keys)))
        var properties = schema["properties"]?.objectValue ?? [:]
        for (name, section) in sections where properties[name]?["type"] == nil { properties[name] = section }
        properties["plugins"] = .object(
            described(["type": "array", "items": entry(descriptors)], like: properties["plugins"]))
        properties["origins"] = .object(described(origins(descriptors), like: properties["origins"]))
        schema["properties"] = .object(properties)
        var root: JSONObject = ["$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Plugboard"]
        for (key, value) in schema { root[key] = value }
        root["$defs"] = .object(JSONObject(descriptors.map { ($0.id, settings($0)) }))
        return .object(root)
    }

    private static func described(_ schema: JSONObject, like other: JSONValue?) -> JSONObject {
        var schema = schema
        schema["description"] = other?["description"]
        return schema
    }

    /// An id or a path; or an object whose settings are those of the plugin that its id names.
    private static func entry(_ descriptors: [PluginDescriptor]) -> JSONValue {
        var object = ConfigurationKey.schema(of: PluginEntry.keys)
        object["anyOf"] = [["required": ["id"]], ["required": ["path"]]]
        let cases = descriptors.map { descriptor in
            JSONValue.object([
                // A loaded plugin of that id may have other settings than the linked one.
                "if": [
                    "properties": ["id": ["const": .string(descriptor.id)]], "required": ["id"],
                    "not": ["required": ["path"]],
                ],
                "then": [
                    "properties": ["settings": ["$ref": .string("#/$defs/\(descriptor.id)")]],
                    "required": requires(descriptor) ? ["settings"] : [],
                ],
            ])
        }
        if !cases.isEmpty { object["allOf"] = .array(cases) }
        let names = descriptors.filter { !requires($0) }.map { descriptor in
            JSONValue.object(["const": .string(descriptor.id), "description": .string(descriptor.documentation)])
        }
        return ["anyOf": .array(names + [["type": "string", "pattern": "/"], .object(object)])]
    }

    private static func requires(_ descriptor: PluginDescriptor) -> Bool {
        descriptor.settings.contains(where: \.isRequired)
    }

    private static func settings(_ descriptor: PluginDescriptor) -> JSONValue {
        let required = descriptor.settings.filter(\.isRequired).map { JSONValue.string($0.name) }
        var schema = table(descriptor.settings)
        schema["description"] = .string(descriptor.documentation)
        if !required.isEmpty { schema["required"] = .array(required) }
        return .object(schema)
    }

    /// Attributes of linked plugins by their tables; those of other plugins, which may be loaded, are not restricted.
    private static func origins(_ descriptors: [PluginDescriptor]) -> JSONObject {
        var plugins = JSONObject()
        for descriptor in descriptors {
            var schema = table(descriptor.attributes)
            var properties = schema["properties"]?.objectValue ?? [:]
            properties["enabled"] = ["type": "boolean", "description": "False skips the plugin."]
            schema["properties"] = .object(properties)
            plugins[descriptor.id] = .object(schema)
        }
        return [
            "type": "object", "propertyNames": ["pattern": .string(OptionPattern.origin)],
            "additionalProperties": [
                "type": "object", "properties": .object(plugins), "additionalProperties": ["type": "object"],
            ],
        ]
    }

    private static func table(_ options: [OptionDefinition]) -> JSONObject {
        [
            "type": "object", "properties": .object(JSONObject(options.map { ($0.name, .object($0.schema)) })),
            "additionalProperties": false,
        ]
    }
}
