import PlugboardCore
import PlugboardJSON

/// One key of an object in a configuration: its meaning, its allowed values, and the property that it sets.
///
/// Reading and the JSON Schema both come from tables of these.
package struct ConfigurationKey<Target>: Sendable {
    package let name: String
    package let documentation: String
    package let schema: JSONObject
    package let read: @Sendable (ConfigurationNode, inout Target, inout ConfigurationReading) -> Void

    package init<Value>(
        _ name: String, _ documentation: String, _ shape: ConfigurationShape<Value>,
        _ location: WritableKeyPath<Target, Value> & Sendable
    ) {
        self.init(name, documentation, schema: shape.schema) { node, target, reading in
            if let value = shape.read(node, &reading) { target[keyPath: location] = value }
        }
    }

    package init<Value>(
        _ name: String, _ documentation: String, _ shape: ConfigurationShape<Value>,
        _ location: WritableKeyPath<Target, Value?> & Sendable
    ) {
        self.init(name, documentation, schema: shape.schema) { node, target, reading in
            if let value = shape.read(node, &reading) { target[keyPath: location] = value }
        }
    }

    /// An object whose members are read into the same target.
    package init(_ name: String, _ documentation: String, members: [ConfigurationKey]) {
        self.init(name, documentation, schema: ConfigurationKey.schema(of: members)) { node, target, reading in
            reading.readMembers(of: node, members, into: &target)
        }
    }

    package init(
        _ name: String, _ documentation: String, schema: JSONObject,
        read: @escaping @Sendable (ConfigurationNode, inout Target, inout ConfigurationReading) -> Void
    ) {
        self.name = name
        self.documentation = documentation
        self.schema = schema
        self.read = read
    }

    /// The schema of an object that may hold these keys and no others.
    package static func schema(of keys: [ConfigurationKey]) -> JSONObject {
        var properties = JSONObject()
        for key in keys {
            var schema = key.schema
            schema["description"] = .string(key.documentation)
            properties[key.name] = .object(schema)
        }
        return ["type": "object", "properties": .object(properties), "additionalProperties": false]
    }
}
