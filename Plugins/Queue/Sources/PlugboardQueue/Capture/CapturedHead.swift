import PlugboardJSON
import PlugboardKit

/// The fields, attributes and options of a request, stored as JSON beside its method, URL and body.
struct CapturedHead {
    var fields = Fields()
    var attributes: [String: String] = [:]
    var options = RequestOptions()
    /// `Route.detour` of the request.
    var detour: String?

    /// Selects what is stored of a request.
    ///
    /// - Parameter storesCredentials: If false, secret fields and options are omitted, and a proxy is stored without
    ///   its user name and password. Plugins add current ones when the request is sent again.
    init(
        _ fields: Fields, _ attributes: Attributes, _ options: [(name: String, value: String, isSecret: Bool)],
        storesCredentials: Bool
    ) {
        for index in fields.indices {
            let isSecret = fields.isSecret(at: index)
            fields.withField(index) { name, value in
                if storesCredentials || !isSecret { self.fields.append(name, value, isSecret: isSecret) }
            }
        }
        // Without the attributes of queue, so that the request is not queued again when it is sent.
        self.attributes = attributes.values.filter { !$0.key.hasPrefix("queue.") }
        for option in options {
            var value = option.value
            // A proxy keeps its address, because the request must not bypass it.
            if option.isSecret, !storesCredentials { value = CapturedHead.withoutUserinfo(value) }
            // Other secret options are omitted.
            if option.isSecret, !storesCredentials, value == option.value { continue }
            _ = self.options.set(option.name, to: value)
        }
        self.options = self.options.withAbsolutePaths
    }

    /// A URL, or host and port, without a user's name and password.
    static func withoutUserinfo(_ url: String) -> String {
        let bytes = url.utf8
        var start = bytes.startIndex
        // The authority begins after `//` (RFC 3986 §3.2); a proxy may have no scheme.
        if let slash = bytes.firstIndex(of: UInt8(ascii: "/")) {
            let next = bytes.index(after: slash)
            if next < bytes.endIndex, bytes[next] == UInt8(ascii: "/") { start = bytes.index(after: next) }
        }
        let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        let end = bytes[start...].firstIndex { ends.contains($0) } ?? bytes.endIndex
        guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else { return url }
        return "\(url[..<start])\(url[bytes.index(after: at)...])"
    }

    /// Nil for a text that is not a stored head.
    init?(_ text: String) {
        guard let value = try? JSONParser.parse(text), let stored = value["fields"]?.arrayValue else { return nil }
        for field in stored {
            guard let name = field[0]?.stringValue, let encoded = field[1]?.stringValue,
                let value = Base64.decode(encoded)
            else { return nil }
            name.utf8.withContiguousStorageIfAvailable { name in
                value.withUnsafeBytes { fields.append(UnsafeRawBufferPointer(name), $0) }
            }
            if field[2]?.boolValue == true { fields.markSecret(FieldName(name)) }
        }
        for (name, value) in value["attributes"]?.objectValue ?? [:] { attributes[name] = value.stringValue }
        for (name, value) in value["options"]?.objectValue ?? [:] {
            guard options.set(name, to: value.stringValue ?? "") == nil else { return nil }
        }
        detour = value["detour"]?.stringValue
    }

    /// Values of fields are bytes of any encoding, so they are written in Base64.
    var text: String {
        var stored: [JSONValue] = []
        for index in fields.indices {
            fields.withField(index) { name, value in
                stored.append([
                    .string(Fields.text(name)), .string(Base64.encode(Array(value))), .bool(fields.isSecret(at: index)),
                ])
            }
        }
        var object: JSONObject = ["fields": .array(stored)]
        if !attributes.isEmpty {
            object["attributes"] = .object(JSONObject(attributes.sorted { $0.key < $1.key }.map { ($0, .string($1)) }))
        }
        let options = options.texts
        if !options.isEmpty { object["options"] = .object(JSONObject(options.map { ($0.name, .string($0.value)) })) }
        if let detour { object["detour"] = .string(detour) }
        return JSONWriter.write(.object(object))
    }

    /// The fields as commands show them, with secret values redacted.
    var shown: JSONValue {
        .array(
            fields.indices.map { index in
                var pair: JSONValue = .null
                let isSecret = fields.isSecret(at: index)
                fields.withField(index) { name, value in
                    pair = [.string(Fields.text(name)), .string(isSecret ? "[redacted]" : Fields.text(value))]
                }
                return pair
            })
    }
}
