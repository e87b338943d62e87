import PlugboardJSON

/// One key of an object in a configuration: its meaning, its allowed values, and the property that it sets.
///
/// Reading and the JSON Schema both come from tables of these.
struct ConfigurationKey<Target>: Sendable {
    let name: String
    let documentation: String
    let schema: JSONObject
    let read: @Sendable (ConfigurationNode, inout Target, inout ConfigurationReading) -> Void

    init<Value>(
        _ name: String, _ documentation: String, _ shape: ConfigurationShape<Value>,
        _ location: WritableKeyPath<Target, Value> & Sendable
    ) {
        self.init(name, documentation, schema: shape.schema) { node, target, reading in
            if let value = shape.read(node, &reading) { target[keyPath: location] = value }
        }
    }

    init<Value>(
        _ name: String, _ documentation: String, _ shape: ConfigurationShape<Value>,
        _ location: WritableKeyPath<Target, Value?> & Sendable
    ) {
        self.init(name, documentation, schema: shape.schema) { node, target, reading in
            if let value = shape.read(node, &reading) { target[keyPath: location] = value }
        }
    }

    /// An object whose members are read into the same target.
    init(_ name: String, _ documentation: String, members: [ConfigurationKey]) {
        self.init(name, documentation, schema: ConfigurationKey.schema(of: members)) { node, target, reading in
            reading.readMembers(of: node, members, into: &target)
        }
    }

    init(
        _ name: String, _ documentation: String, schema: JSONObject,
        read: @escaping @Sendable (ConfigurationNode, inout Target, inout ConfigurationReading) -> Void
    ) {
        self.name = name
        self.documentation = documentation
        self.schema = schema
        self.read = read
    }

    /// The schema of an object that may hold these keys and no others.
    static func schema(of keys: [ConfigurationKey]) -> JSONObject {
        var properties = JSONObject()
        for key in keys {
            var schema = key.schema
            schema["description"] = .string(key.documentation)
            properties[key.name] = .object(schema)
        }
        return ["type": "object", "properties": .object(properties), "additionalProperties": false]
    }
}
