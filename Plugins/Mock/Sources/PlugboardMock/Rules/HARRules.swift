import PlugboardKit
import PlugboardMockOptions

/// Makes rules of the entries of a HAR file: one for each method and URL, with the responses in their order. The text
/// `…` in a URL matches any text.
enum HARRules {
    /// Throws `configuration` for a file that is not HAR. Blocks.
    static func rules(_ path: String) throws(PlugboardError) -> [Rule] {
        let bytes = try RuleFile.bytes(of: path)
        let value: JSONValue
        do throws(JSONError) { value = try JSONParser.parse(bytes) } catch {
            throw PlugboardError(.configuration, "\(path) is not JSON: \(error).")
        }
        guard let entries = value["log"]?["entries"]?.arrayValue else {
            throw PlugboardError(.configuration, "\(path) is not HAR: it has no list log.entries.")
        }
        var rules: [Rule] = []
        var places: [String: Int] = [:]
        for entry in entries {
            guard let method = entry["request"]?["method"]?.stringValue,
                let url = entry["request"]?["url"]?.stringValue,
                let response = response(entry["response"])
            else { continue }
            if let place = places["\(method) \(url)"] {
                rules[place].responses.append(response)
                continue
            }
            places["\(method) \(url)"] = rules.count
            var rule = Rule(name: "\(method) \(url)", responses: [response])
            rule.method = method
            rule.url = Wildcard(url, any: "…")
            rules.append(rule)
        }
        return rules
    }

    /// Nil for an attempt without a response.
    private static func response(_ value: JSONValue?) -> MockResponse? {
        guard let value, let status = value["status"]?.intValue, (200...599).contains(status) else { return nil }
        var fields = Fields()
        for field in value["headers"]?.arrayValue ?? [] {
            guard let name = field["name"]?.stringValue, let text = field["value"]?.stringValue else { continue }
            // These fields describe the bytes on the network, which the file does not contain.
            if ["content-encoding", "content-length", "transfer-encoding", "connection"].contains(name.lowercased())
                || text == "…"
            {
                continue
            }
            // Browsers write pseudo-fields of HTTP/2, and several values in one field.
            for value in text.split(separator: "\n").map(String.init) where FieldCheck.isValid(name, value) {
                fields.append(FieldName(name), value)
            }
        }
        let content = value["content"]
        let text = content?["text"]?.stringValue ?? ""
        let bytes = content?["encoding"]?.stringValue == "base64" ? Base64.decode(text) ?? [] : Array(text.utf8)
        return MockResponse(
            outcome: .response(status: Int(status), fields: fields, body: bytes.isEmpty ? [] : [.bytes(Bytes(bytes))]))
    }
}
