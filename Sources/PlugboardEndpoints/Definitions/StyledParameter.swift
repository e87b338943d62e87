import PlugboardCore
import PlugboardJSON

/// A value of a parameter, written in the parameter's style (OpenAPI §4.8.12.3, RFC 6570).
struct StyledParameter {
    let name: String
    let value: JSONValue
    let style: DefinedParameter.Style
    let explodes: Bool
    let allowsReserved: Bool
    /// The name of the parameter in errors.
    let calledName: String

    init(_ parameter: DefinedParameter, _ value: JSONValue, usual: DefinedParameter.Style) {
        name = parameter.sentName
        self.value = value
        style = parameter.style ?? usual
        explodes = parameter.explodes ?? (style == .form || style == .deepObject)
        // Elsewhere, reserved characters could end a path segment or field. OpenAPI allows them in queries and forms.
        allowsReserved = parameter.allowsReserved && (parameter.place == .query || parameter.place == .body)
        calledName = parameter.name
    }

    /// The text of a placeholder.
    func pathText() throws(PlugboardError) -> String {
        if style == .json { return encoded(JSONWriter.write(value)) }
        let start = style == .label ? "." : style == .matrix ? ";" : ""
        let name = style == .matrix ? encoded(name) : ""
        // RFC 6570 §3.2.7: an empty value is written as the name alone.
        func assigned(_ text: String) -> String {
            style == .matrix ? name + (text.isEmpty ? "" : "=") + text : text
        }
        let parts: [String]
        switch value {
        case .array(let elements):
            let texts = try texts(of: elements)
            parts = explodes ? texts.map(assigned) : [assigned(texts.joined(separator: ","))]
        case .object(let object):
            let pairs = try pairs(of: object)
            parts =
                explodes
                ? pairs.map { "\($0)=\($1)" } : [assigned(pairs.map { "\($0),\($1)" }.joined(separator: ","))]
        default:
            parts = [assigned(try text(of: value))]
        }
        let text = parts.joined(separator: start.isEmpty ? "," : start)
        guard !text.isEmpty else {
            throw error("is empty, so that its segment of the path would be too")
        }
        return start + text
    }

    /// The percent-encoded pairs for a query, a form or the field `Cookie`.
    func pairs() throws(PlugboardError) -> [(name: String, value: String)] {
        let name = encoded(name)
        if style == .json { return [(name, encoded(JSONWriter.write(value)))] }
        switch value {
        case .array(let elements):
            if style == .deepObject { return try deepPairs(of: value, name) }
            let texts = try texts(of: elements)
            if explodes { return texts.map { (name, $0) } }
            return texts.isEmpty ? [] : [(name, texts.joined(separator: separator))]
        case .object(let object):
            if style == .deepObject { return try deepPairs(of: value, name) }
            let pairs = try pairs(of: object)
            if explodes && style == .form { return pairs }
            return pairs.isEmpty
                ? [] : [(name, pairs.map { $0 + separator + $1 }.joined(separator: separator))]
        default:
            return [(name, try text(of: value))]
        }
    }

    /// The value of a header field, without percent-encoding.
    func fieldText() throws(PlugboardError) -> String {
        let text: String
        switch value {
        case _ where style == .json: text = JSONWriter.write(value)
        case .array(let elements): text = try texts(of: elements, plain).joined(separator: ",")
        case .object(let object):
            text = try pairs(of: object, plain).map { $0 + (explodes ? "=" : ",") + $1 }.joined(separator: ",")
        default: text = try self.text(of: value, plain)
        }
        guard KernelSettings.isHeaderValue(text) else {
            throw error("has a line break, which a header field cannot have")
        }
        return text
    }

    private var separator: String {
        switch style {
        case .spaceDelimited: "%20"
        case .pipeDelimited: "%7C"
        default: ","
        }
    }

    // The limit also bounds the recursion for values made in code, which no parser has checked.
    private func deepPairs(
        of value: JSONValue, _ name: String, depth: Int = 0
    ) throws(PlugboardError) -> [(name: String, value: String)] {
        guard depth < 64 else { throw error("has more than 64 nested lists and objects") }
        var pairs: [(name: String, value: String)] = []
        switch value {
        case .object(let object):
            for (key, member) in object {
                pairs += try deepPairs(of: member, "\(name)%5B\(encoded(key))%5D", depth: depth + 1)
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                pairs += try deepPairs(of: element, "\(name)%5B\(index)%5D", depth: depth + 1)
            }
        default:
            pairs = [(name, try text(of: value))]
        }
        return pairs
    }

    private func texts(of elements: [JSONValue]) throws(PlugboardError) -> [String] { try texts(of: elements, encoded) }

    private func pairs(of object: JSONObject) throws(PlugboardError) -> [(name: String, value: String)] {
        try pairs(of: object, encoded)
    }

    private func text(of value: JSONValue) throws(PlugboardError) -> String { try text(of: value, encoded) }

    private func texts(of elements: [JSONValue], _ form: (String) -> String) throws(PlugboardError) -> [String] {
        var texts: [String] = []
        for element in elements { texts.append(try text(of: element, form)) }
        return texts
    }

    private func pairs(
        of object: JSONObject, _ form: (String) -> String
    ) throws(PlugboardError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for (key, member) in object { pairs.append((form(key), try text(of: member, form))) }
        return pairs
    }

    private func text(of value: JSONValue, _ form: (String) -> String) throws(PlugboardError) -> String {
        switch value {
        case .null: return ""
        case .bool(let bool): return bool ? "true" : "false"
        case .number(let number): return number.text
        case .string(let text): return form(text)
        case .array, .object:
            throw error(
                "has a list or an object within a list or an object, which the style \(style.rawValue) cannot write")
        }
    }

    private func plain(_ text: String) -> String { text }

    private func encoded(_ text: String) -> String {
        guard !text.utf8.allSatisfy(StyledParameter.isUnreserved) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if StyledParameter.isUnreserved(byte) || allowsReserved && StyledParameter.isReserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(StyledParameter.digits[Int(byte >> 4)])
                bytes.append(StyledParameter.digits[Int(byte & 15)])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Whether a byte is unreserved (RFC 3986 §2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }

    /// RFC 3986 §2.2, without `&` and `#`, which end a parameter, and `+`, which servers read as a space.
    private static func isReserved(_ byte: UInt8) -> Bool { ":/?[]@!$'()*,;=".utf8.contains(byte) }

    private func error(_ what: String) -> PlugboardError {
        PlugboardError(.requestParameter, "The parameter \(Printable.text(calledName)) \(what).")
    }
}
