import PlugboardBorder
import PlugboardCore
import PlugboardJSON

/// What a value of a configuration may be: how it is read, and the JSON Schema that says the same to an editor.
package struct ConfigurationShape<Value>: Sendable {
    package let schema: JSONObject
    /// Nil after an error was noted.
    package let read: @Sendable (ConfigurationNode, inout ConfigurationReading) -> Value?

    package init(
        schema: JSONObject, read: @escaping @Sendable (ConfigurationNode, inout ConfigurationReading) -> Value?
    ) {
        self.schema = schema
        self.read = read
    }

    /// - Parameter wanted: The end of an error that begins with "must be".
    package init(_ wanted: String, schema: JSONObject, _ parse: @escaping @Sendable (JSONValue) -> Value?) {
        self.init(schema: schema) { node, reading in
            if let value = parse(node.value) { return value }
            reading.note(node.path, "must be \(wanted)")
            return nil
        }
    }

    /// The same shape with a default value, for editors only.
    package func by(default value: JSONValue) -> ConfigurationShape {
        var schema = schema
        schema["default"] = value
        return ConfigurationShape(schema: schema, read: read)
    }
}

extension ConfigurationShape where Value == Bool {
    package static var flag: Self { Self("true or false", schema: ["type": "boolean"], \.boolValue) }
}

extension ConfigurationShape where Value == Int {
    package static func integer(in bounds: ClosedRange<Int>) -> Self {
        Self(
            "a whole number between \(bounds.lowerBound) and \(bounds.upperBound)",
            schema: [
                "type": "integer", "minimum": .number(JSONNumber(bounds.lowerBound)),
                "maximum": .number(JSONNumber(bounds.upperBound)),
            ]
        ) { value in
            value.numberValue?.integer(Int.self).flatMap { bounds.contains($0) ? $0 : nil }
        }
    }
}

extension ConfigurationShape where Value == ByteCount {
    /// Bytes a second.
    package static var speed: Self {
        Self(
            "bytes a second like \"2MiB\" (B, KiB, MiB, GiB; 0B for no limit)",
            schema: ["type": "string", "pattern": .string(OptionPattern.size)]
        ) { value in
            value.stringValue.flatMap { ByteCount($0) }
        }
    }

    package static func size(in bounds: ClosedRange<ByteCount>) -> Self {
        Self(
            "a size between \(bounds.lowerBound) and \(bounds.upperBound), like \"2MiB\" (B, KiB, MiB, GiB)",
            schema: ["type": "string", "pattern": .string(OptionPattern.size)]
        ) { value in
            value.stringValue.flatMap { ByteCount($0) }.flatMap { bounds.contains($0) ? $0 : nil }
        }
    }
}

extension ConfigurationShape where Value == Duration? {
    /// A duration; zero means no limit.
    package static var timeout: Self {
        Self(
            "a time like \"30s\" (ms, s, m, h, d; \"0s\" for no limit)",
            schema: ["type": "string", "pattern": .string(OptionPattern.duration)]
        ) { value -> Duration?? in
            guard let time = value.stringValue.flatMap({ DurationText($0)?.duration }) else { return nil }
            return .some(time == .zero ? nil : time)
        }
    }
}

extension ConfigurationShape where Value == String {
    /// Any text that a C library can be given.
    package static var text: Self { text("a string without control characters") { _ in true } }

    /// A text that is not empty and passes the test.
    package static func word(_ wanted: String, _ isRight: @escaping @Sendable (String) -> Bool) -> Self {
        text(wanted) { !$0.isEmpty && isRight($0) }
    }

    /// A path, made absolute from the folder of the configuration's file.
    package static var path: Self {
        let word = word("a path: a string that is not empty and holds no control characters") { _ in true }
        return Self(schema: word.schema) { node, reading in
            word.read(node, &reading).map { reading.resolve($0) }
        }
    }

    private static func text(_ wanted: String, _ isRight: @escaping @Sendable (String) -> Bool) -> Self {
        Self(wanted, schema: ["type": "string"]) { value in
            value.stringValue.flatMap { text in
                text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && isRight(text) ? text : nil
            }
        }
    }
}

extension ConfigurationShape {
    /// One of some words.
    package static func choice(_ words: [(word: String, value: Value)]) -> Self where Value: Sendable {
        Self(
            "one of \(words.map(\.word).joined(separator: ", "))",
            schema: ["type": "string", "enum": .array(words.map { .string($0.word) })]
        ) { value in
            words.first { value.stringValue == $0.word }?.value
        }
    }

    /// One of the words of an enumeration.
    package static func choice(_ type: Value.Type = Value.self) -> Self
    where Value: Sendable & CaseIterable & RawRepresentable<String> {
        choice(Value.allCases.map { ($0.rawValue, $0) })
    }

    /// - Parameter wanted: The end of an error that begins with "must be".
    package static func list<Element>(
        _ element: ConfigurationShape<Element>, _ wanted: String = #"a list of strings, such as ["…"]"#
    ) -> Self where Value == [Element] {
        Self(schema: ["type": "array", "items": .object(element.schema)]) { node, reading in
            guard let values = node.value.arrayValue else {
                reading.note(node.path, "must be \(wanted), not \(node.value.kind)")
                return nil
            }
            return values.enumerated().compactMap { index, value in
                element.read(ConfigurationNode(value: value, path: node.path.appending(.index(index))), &reading)
            }
        }
    }

    /// An object with free keys; `key` returns the normal form of a key, or nil if it is not valid.
    package static func map<Element>(
        _ wanted: String, key normalized: @escaping @Sendable (String) -> String?,
        _ element: ConfigurationShape<Element>
    ) -> Self where Value == [String: Element] {
        Self(schema: ["type": "object", "additionalProperties": .object(element.schema)]) { node, reading in
            guard let object = node.value.objectValue else {
                reading.note(node.path, "must be an object, not \(node.value.kind)")
                return nil
            }
            var map: [String: Element] = [:]
            for (name, value) in object {
                let member = node.member(name, value)
                guard let key = normalized(name) else {
                    // An error that quotes the key is clearer than a path that ends in it.
                    reading.note(
                        node.path, "has the key `\(Printable.text(name))`, which must be \(wanted)", at: member.path)
                    continue
                }
                guard let element = element.read(member, &reading) else { continue }
                if map.updateValue(element, forKey: key) != nil {
                    reading.note(member.path, "is the same as another key, written in another form", atKey: true)
                }
            }
            return map
        }
    }
}
