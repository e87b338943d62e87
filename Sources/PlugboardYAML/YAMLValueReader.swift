import PlugboardJSON
import PlugboardMessages
import Yams

/// Turns the nodes of a document into JSON values.
struct YAMLValueReader {
    private let limits: YAMLDocument.Limits
    private var count = 0

    init(limits: YAMLDocument.Limits) { self.limits = limits }

    mutating func value(of node: Node, depth: Int) throws(YAMLFailure) -> JSONValue {
        count += 1
        guard count <= limits.values else {
            throw YAMLFailure("has more than \(limits.values) values, with those of aliases", at: node.mark)
        }
        guard depth < limits.depth else { throw YAMLFailure("has more than \(limits.depth) levels", at: node.mark) }
        switch node {
        case .scalar(let scalar): return try YAMLScalar.value(of: scalar)
        case .sequence(let sequence):
            var elements: [JSONValue] = []
            for element in sequence { elements.append(try value(of: element, depth: depth + 1)) }
            return .array(elements)
        case .mapping(let mapping): return .object(try object(of: mapping, depth: depth))
        case .alias: throw YAMLFailure("has an alias that leads to nothing", at: node.mark)
        }
    }

    private mutating func object(of mapping: Node.Mapping, depth: Int) throws(YAMLFailure) -> JSONObject {
        var object = JSONObject()
        var merged: [Node] = []
        for (key, node) in mapping {
            guard case .scalar(let scalar) = key else {
                throw YAMLFailure("has a key that is no text", at: key.mark)
            }
            if scalar.string == "<<", scalar.style == .plain {
                merged.append(node)
            } else {
                object[scalar.string] = try value(of: node, depth: depth + 1)
            }
        }
        for node in merged {
            var nodes = [node]
            if case .sequence(let list) = node { nodes = Array(list) }
            for node in nodes {
                guard let other = try value(of: node, depth: depth + 1).objectValue else {
                    throw YAMLFailure("merges (<<) what is no mapping", at: node.mark)
                }
                for (key, value) in other where object[key] == nil { object[key] = value }
            }
        }
        return object
    }
}

/// The core schema of YAML 1.2 (§10.3.2).
enum YAMLScalar {
    static func value(of scalar: Node.Scalar) throws(YAMLFailure) -> JSONValue {
        let tag = scalar.tag.rawValue
        let text = scalar.string
        // An explicit tag of another kind, such as !!str or !secret, leaves a text.
        let isPlain = tag.isEmpty && scalar.style == .plain
        guard isPlain || ["null", "bool", "int", "float"].contains(where: { tag == "tag:yaml.org,2002:\($0)" }) else {
            return .string(text)
        }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return true
        case "false", "False", "FALSE": return false
        case ".inf", ".Inf", ".INF", "-.inf", "-.Inf", "-.INF", "+.inf", "+.Inf", "+.INF", ".nan", ".NaN", ".NAN":
            throw YAMLFailure("has the number \(text), which JSON does not have", at: scalar.mark)
        default: return number(text).map { .number($0) } ?? .string(text)
        }
    }

    /// Nil for a text that is no number, and for one with a leading zero.
    private static func number(_ text: String) -> JSONNumber? {
        let bytes = Array(text.utf8)
        if bytes.starts(with: "0x".utf8) { return whole(bytes.dropFirst(2), radix: 16) }
        if bytes.starts(with: "0o".utf8) { return whole(bytes.dropFirst(2), radix: 8) }
        var rest = bytes[...]
        var written = ""
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            if sign == UInt8(ascii: "-") { written = "-" }
            rest = rest.dropFirst()
        }
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        let integer = rest.prefix(while: isDigit)
        rest = rest.dropFirst(integer.count)
        var fraction = rest[..<rest.startIndex]
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: isDigit)
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard !integer.isEmpty || !fraction.isEmpty else { return nil }
        written += integer.isEmpty ? "0" : String(decoding: integer, as: UTF8.self)
        if !fraction.isEmpty { written += "." + String(decoding: fraction, as: UTF8.self) }
        // JSON refuses what is left over, an exponent without digits, and leading zeros.
        return JSONNumber(text: written + String(decoding: rest, as: UTF8.self))
    }

    private static func whole(_ digits: ArraySlice<UInt8>, radix: Int) -> JSONNumber? {
        guard digits.first != UInt8(ascii: "-"), digits.first != UInt8(ascii: "+") else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self), radix: radix).map { JSONNumber($0) }
    }
}
