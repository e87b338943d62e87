import PlugboardKit

/// The JSON of a setting, which is inline or in a file.
enum TextFile {
    /// The text itself if it begins as a JSON object or array, or is `true` or `false`; else the contents of the file,
    /// which must begin as JSON does.
    static func json(_ text: String, _ host: PluginHost) throws(PlugboardError) -> String {
        if isJSON(text) { return text }
        let path = host.configuredPath(text)
        let bytes = try WholeFile.bytes(
            of: path, limit: .bytes(JSONParser.Options().sizeLimit), code: .configuration, waits: true)
        guard let contents = String(validating: bytes, as: UTF8.self) else {
            throw PlugboardError(.configuration, "The file \(path) is not UTF-8.")
        }
        guard beginsAsJSON(contents) else {
            throw PlugboardError(
                .configuration,
                "The file \(path) is not JSON. Convert a document in YAML to JSON first; the validator does not read "
                    + "YAML.")
        }
        return contents
    }

    /// The value of a document.
    static func value(_ text: String, _ host: PluginHost) throws(PlugboardError) -> JSONValue {
        let json = try json(text, host)
        do throws(JSONError) {
            return try JSONParser.parse(json)
        } catch {
            let name = isJSON(text) ? "A document of the validator" : "The file \(host.configuredPath(text))"
            throw PlugboardError(.configuration, "\(name) is not valid JSON: \(error).")
        }
    }

    /// Whether a setting is JSON, and not the path of a file.
    private static func isJSON(_ text: String) -> Bool {
        let first = text.utf8.first { !isBlank($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || text == "true" || text == "false"
    }

    /// Whether the text of a file begins as a value of JSON does.
    private static func beginsAsJSON(_ text: String) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = text.utf8.dropFirst(text.utf8.starts(with: mark) ? mark.count : 0).drop(while: isBlank)
        if let first = start.first, "{[\"-0123456789".utf8.contains(first) { return true }
        let word = start.prefix { !isBlank($0) }
        return ["true", "false", "null"].contains { word.elementsEqual($0.utf8) }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
