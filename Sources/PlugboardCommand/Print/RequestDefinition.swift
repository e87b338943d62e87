import Plugboard
import PlugboardCodecs
import PlugboardJSON
import PlugboardKit

/// A request as a definition of an endpoint: what it says becomes fixed, or a parameter with this default.
///
/// Parameters of the query and members of a body in JSON or of a form are parameters. Secret fields and credentials are
/// left out unless secrets are shown.
struct RequestDefinition {
    /// The member of the file of definitions.
    private(set) var json: JSONObject = [:]
    /// What is left out, in words.
    private(set) var omissions: [String] = []

    /// - Parameter body: The bytes of the body; nil for a body that is a form in parts, or read from standard input.
    init(_ request: Request, _ body: Bytes?, showingSecrets: Bool) throws(CommandFailure) {
        guard let parts = URLParts(request.url), let scheme = parts.scheme, let host = parts.hostAndPort else {
            throw CommandFailure(
                .url, "\(Printable.url(request.url)) is not an absolute URL, which a definition needs.")
        }
        if request.method != .get { json["method"] = .string(request.method.name) }
        json["base"] = .string("\(scheme)://\(host)")
        if parts.hasCredentials { omissions.append("the credentials of the URL") }
        // Braces would be placeholders.
        let path = parts.path.replacing("{", with: "%7B").replacing("}", with: "%7D")
        json["path"] = .string(path.isEmpty ? "/" : String(path))
        var parameters = JSONObject()
        let query = parts.query.map { Bytes(String($0)) } ?? .empty
        for (name, value) in Parameters(form: query) {
            RequestDefinition.add(name, value, "query", to: &parameters)
        }
        addBody(request, body, &parameters)
        addFields(request.fields, showingSecrets)
        if !parameters.isEmpty { json["parameters"] = .object(parameters) }
        addTimeouts(request.options)
        addAuthentication(request.attributes, showingSecrets)
    }

    /// A name that is given again makes a list.
    private static func add(_ name: String, _ value: JSONValue, _ place: String, to parameters: inout JSONObject) {
        var key = name
        // Two parameters in different places have different names for a call.
        if let other = parameters[key], other["in"]?.stringValue != place { key = "\(place).\(name)" }
        if let old = parameters[key]?.objectValue {
            let first = old["default"] ?? .null
            var changed = old
            changed["type"] = "array"
            changed["default"] = .array((old["type"] == "array" ? first.arrayValue ?? [first] : [first]) + [value])
            parameters[key] = .object(changed)
            return
        }
        var parameter: JSONObject = ["in": .string(place), "type": .string(kind(of: value)), "default": value]
        if key != name { parameter["name"] = .string(name) }
        if place == "query" { parameter["style"] = "form" }
        if value.isNull { parameter["nullable"] = true }
        parameters[key] = .object(parameter)
    }

    private static func kind(of value: JSONValue) -> String {
        switch value {
        case .null: "any"
        case .bool: "boolean"
        case .number(let number): number.isMultiple(of: 1) ? "integer" : "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    // MARK: The body

    private mutating func addBody(_ request: Request, _ body: Bytes?, _ parameters: inout JSONObject) {
        guard request.body != nil else { return }
        let type = (request.fields[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        let value = try? body?.withUnsafeBytes { try JSONParser.parse($0) }
        if type == "application/json", let object = value?.objectValue {
            json["requestCodec"] = "json"
            for (name, value) in object { RequestDefinition.add(name, value, "body", to: &parameters) }
        } else if let body, type == "application/x-www-form-urlencoded" {
            json["requestCodec"] = "form"
            for (name, value) in Parameters(form: body) {
                RequestDefinition.add(name, value, "body", to: &parameters)
            }
        } else {
            omissions.append("the body, which plugboard call takes with --body")
        }
    }

    // MARK: The head

    private mutating func addFields(_ fields: Fields, _ showsSecrets: Bool) {
        var members = JSONObject()
        for field in fields {
            switch FieldName(field.name) {
            // The codec sets it, and plugboard call the other two.
            case .contentType where json["requestCodec"] != nil: continue
            case .contentType where field.value.hasPrefix("multipart/form-data; boundary="): continue
            case .userAgent where field.value == "plugboard/\(Program.version)": continue
            case .accept where field.value == "*/*": continue
            default: break
            }
            if field.isSecret, !showsSecrets {
                omissions.append("the field \(Printable.text(field.name))")
            } else if let other = members[field.name]?.stringValue {
                members[field.name] = .string("\(other), \(field.value)")
            } else {
                members[field.name] = .string(field.value)
            }
        }
        if !members.isEmpty { json["headers"] = .object(members) }
    }

    private mutating func addTimeouts(_ options: RequestOptions) {
        let timeouts = [
            ("timeout", options.timeout), ("connectTimeout", options.connectTimeout),
            ("idleTimeout", options.idleTimeout), ("attemptTimeout", options.attemptTimeout),
        ]
        for (name, timeout) in timeouts {
            if let timeout { json[name] = .string("\(PrintedCurl.milliseconds(timeout))ms") }
        }
    }

    /// The plugin authentication has its credentials in attributes, all of which are secret.
    private mutating func addAuthentication(_ attributes: Attributes, _ showsSecrets: Bool) {
        var members = JSONObject()
        let prefix = "authentication."
        for (name, value) in attributes.values.sorted(by: { $0.key < $1.key }) where name.hasPrefix(prefix) {
            members[String(name.dropFirst(prefix.count))] = .string(value)
        }
        if members.isEmpty { return }
        json["authorization"] = true
        if showsSecrets {
            json["attributes"] = ["authentication": .object(members)]
        } else {
            omissions.append("the credential of --user or --oauth2-bearer")
        }
    }
}
