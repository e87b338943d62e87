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
        let items = try items(encoded)
        let parts =
            explodes
            ? items.map { item in item.key.map { "\($0)=\(item.text)" } ?? assigned(item.text) }
            : [assigned(StyledParameter.joined(items, by: ",", ","))]
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
        if style == .deepObject { return try deepPairs(of: value, name) }
        let items = try items(encoded)
        if explodes, style == .form || items.first?.key == nil { return items.map { ($0.key ?? name, $0.text) } }
        let separator = style == .spaceDelimited ? "%20" : style == .pipeDelimited ? "%7C" : ","
        return items.isEmpty ? [] : [(name, StyledParameter.joined(items, by: separator, separator))]
    }

    /// The value of a header field, without percent-encoding.
    func fieldText() throws(PlugboardError) -> String {
        let text: String =
            try style == .json
            ? JSONWriter.write(value) : StyledParameter.joined(items { $0 }, by: ",", explodes ? "=" : ",")
        guard KernelSettings.isHeaderValue(text) else {
            throw error("has a line break, which a header field cannot have")
        }
        return text
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
            pairs = [(name, try text(of: value, encoded))]
        }
        return pairs
    }

    /// An element of a list, a member of an object with its key, or a value alone.
    private typealias Item = (key: String?, text: String)

    private func items(_ form: (String) -> String) throws(PlugboardError) -> [Item] {
        var items: [Item] = []
        switch value {
        case .array(let elements): for element in elements { items.append((nil, try text(of: element, form))) }
        case .object(let object): for (key, member) in object { items.append((form(key), try text(of: member, form))) }
        default: items.append((nil, try text(of: value, form)))
        }
        return items
    }

    private static func joined(_ items: [Item], by separator: String, _ assignment: String) -> String {
        items.map { item in item.key.map { $0 + assignment + item.text } ?? item.text }.joined(separator: separator)
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

    private func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        guard allowsReserved else {
            PercentEncoding.append(escaping: text, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        for scalar in text.unicodeScalars {
            // RFC 3986 §2.2, without `&` and `#`, which end a parameter, and `+`, which servers read as a space.
            if ":/?[]@!$'()*,;=".unicodeScalars.contains(scalar) {
                bytes += String(scalar).utf8
            } else {
                PercentEncoding.append(escaping: String(scalar), to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func error(_ what: String) -> PlugboardError {
        PlugboardError(.requestParameter, "The parameter \(Printable.text(calledName)) \(what).")
    }
}
