import CPlugboardYAML
import PlugboardJSON

/// The core schema of YAML 1.2 (§10.3.2).
enum YAMLScalar {
    /// - Parameters:
    ///   - tag: The tag in the document, in its full form; empty if there is none.
    ///   - isPlain: Whether it has neither quotes nor a tag.
    static func value(
        of text: String, tag: String, isPlain: Bool, at mark: yaml_mark_t
    ) throws(YAMLFailure) -> JSONValue {
        // A value with an explicit tag of another kind, such as !!str or !secret, is a text.
        guard isPlain || ["null", "bool", "int", "float"].contains(where: { tag == "tag:yaml.org,2002:\($0)" }) else {
            return .string(text)
        }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return true
        case "false", "False", "FALSE": return false
        case ".inf", ".Inf", ".INF", "-.inf", "-.Inf", "-.INF", "+.inf", "+.Inf", "+.INF", ".nan", ".NaN", ".NAN":
            throw YAMLFailure("has the number \(text), which JSON does not have", at: mark)
        default: return number(text).map { .number($0) } ?? .string(text)
        }
    }

    /// Nil for a text that is not a number, and for a number with a leading zero.
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
        // JSON refuses remaining text, an exponent without digits, and leading zeros.
        return JSONNumber(text: written + String(decoding: rest, as: UTF8.self))
    }

    private static func whole(_ digits: ArraySlice<UInt8>, radix: Int) -> JSONNumber? {
        guard digits.first != UInt8(ascii: "-"), digits.first != UInt8(ascii: "+") else { return nil }
        return Int64(String(decoding: digits, as: UTF8.self), radix: radix).map { JSONNumber($0) }
    }
}
