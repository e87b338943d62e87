import PlugboardJSON

struct UnkeyedNodeContainer: UnkeyedEncodingContainer {
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.elementCount }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        node.element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { node.element().unkeyedContainer() }
    func superEncoder() -> any Encoder { node.element() }

    func encodeNil() { node.element().set(.null) }
    func encode(_ value: some Encodable) throws { try node.element().encode(value) }
    func encode(_ value: Bool) { node.element().set(.bool(value)) }
    func encode(_ value: String) { node.element().set(.string(value)) }
    func encode(_ value: Double) throws { try node.element().set(value) }
    func encode(_ value: Float) throws { try node.element().set(value) }
    func encode(_ value: Int) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: Int8) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: Int16) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: Int32) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: Int64) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: Int128) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: UInt) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: UInt8) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: UInt16) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: UInt32) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: UInt64) { node.element().set(.number(JSONNumber(value))) }
    func encode(_ value: UInt128) { node.element().set(.number(JSONNumber(value))) }
}
