import PlugboardJSON

struct SingleNodeContainer: SingleValueEncodingContainer {
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil() { node.set(.null) }
    func encode(_ value: some Encodable) throws { try node.encode(value) }
    func encode(_ value: Bool) { node.set(.bool(value)) }
    func encode(_ value: String) { node.set(.string(value)) }
    func encode(_ value: Double) throws { try node.set(value) }
    func encode(_ value: Float) throws { try node.set(value) }
    func encode(_ value: Int) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: Int8) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: Int16) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: Int32) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: Int64) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: Int128) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: UInt) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: UInt8) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: UInt16) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: UInt32) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: UInt64) { node.set(.number(JSONNumber(value))) }
    func encode(_ value: UInt128) { node.set(.number(JSONNumber(value))) }
}
