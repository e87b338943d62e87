import PlugboardJSON
import PlugboardJSONCoding

/// Collects the properties of a value as parameters, without a tree of containers: most values have few properties, and
/// each is a text, a number or a boolean.
///
/// `JSONValueEncoder` encodes everything else: a property of another type, or the whole value if it is not an object,
/// has many members, or cannot be encoded.
final class ParameterEncoder: Encoder {
    private enum Stop: Error { case notSimple }

    private static let memberLimit = 16

    private var entries: [Parameters.Entry] = []
    private var isSimple = true

    /// The members that a value encodes; nil if it is not a simple object.
    static func entries(of value: some Encodable) -> [Parameters.Entry]? {
        let encoder = ParameterEncoder()
        encoder.entries.reserveCapacity(4)
        do { try value.encode(to: encoder) } catch { return nil }
        return encoder.isSimple ? encoder.entries : nil
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Container(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { general().unkeyedContainer() }
    func singleValueContainer() -> any SingleValueEncodingContainer { general().singleValueContainer() }

    /// An encoder whose result is ignored.
    private func general() -> any Encoder {
        isSimple = false
        return UnusedEncoder()
    }

    private func add(_ name: String, _ value: JSONValue) throws {
        guard isSimple, ParameterEncoder.add(name, value, to: &entries) else { throw Stop.notSimple }
    }

    /// Adds a member; false if there is no room. The property is passed inout, because each access to it is checked.
    private static func add(_ name: String, _ value: JSONValue, to entries: inout [Parameters.Entry]) -> Bool {
        guard entries.count < memberLimit else { return false }
        // Of equal names, the last value is used.
        if let index = entries.firstIndex(where: { $0.name == name }) {
            entries[index].value = value
        } else {
            entries.append(Parameters.Entry(name: name, value: value))
        }
        return true
    }

    private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: ParameterEncoder

        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) throws { try encoder.add(key.stringValue, .null) }
        func encode(_ value: Bool, forKey key: Key) throws { try encoder.add(key.stringValue, .bool(value)) }
        func encode(_ value: String, forKey key: Key) throws { try encoder.add(key.stringValue, .string(value)) }
        func encode(_ value: Int, forKey key: Key) throws {
            try encoder.add(key.stringValue, .number(JSONNumber(value)))
        }
        func encode(_ value: some Encodable, forKey key: Key) throws {
            try encoder.add(key.stringValue, try JSONValueEncoder().encode(value))
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> { encoder.general().container(keyedBy: keyType) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.general().unkeyedContainer()
        }
        func superEncoder() -> any Encoder { encoder.general() }
        func superEncoder(forKey key: Key) -> any Encoder { encoder.general() }
    }
}

/// Refuses everything, so that encoding ends early.
private struct UnusedEncoder: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
    private enum Stop: Error { case notSimple }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { 0 }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed())
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func encodeNil() throws { throw Stop.notSimple }
    func encode(_ value: some Encodable) throws { throw Stop.notSimple }
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { container(keyedBy: keyType) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { self }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) throws { throw Stop.notSimple }
        func encode(_ value: some Encodable, forKey key: Key) throws { throw Stop.notSimple }
        func nestedContainer<NestedKey: CodingKey>(
            keyedBy keyType: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> { UnusedEncoder().container(keyedBy: keyType) }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { UnusedEncoder() }
        func superEncoder() -> any Encoder { UnusedEncoder() }
        func superEncoder(forKey key: Key) -> any Encoder { UnusedEncoder() }
    }
}
