import PlugboardJSON

struct KeyedNodeContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        node.member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { node.member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { node.member(SuperKey()) }
    func superEncoder(forKey key: Key) -> any Encoder { node.member(key) }

    func encodeNil(forKey key: Key) { node.member(key).set(.null) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try node.member(key).encode(value) }
    func encode(_ value: Bool, forKey key: Key) { node.member(key).set(.bool(value)) }
    func encode(_ value: String, forKey key: Key) { node.member(key).set(.string(value)) }
    func encode(_ value: Double, forKey key: Key) throws { try node.member(key).set(value) }
    func encode(_ value: Float, forKey key: Key) throws { try node.member(key).set(value) }
    func encode(_ value: Int, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: Int8, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: Int16, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: Int32, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: Int64, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: Int128, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: UInt, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: UInt8, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: UInt16, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: UInt32, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: UInt64, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
    func encode(_ value: UInt128, forKey key: Key) { node.member(key).set(.number(JSONNumber(value))) }
}
