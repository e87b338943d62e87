import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

/// The parts of a request that a definition makes from a call's parameters.
struct DefinedRequest: Sendable {
    var path = ""
    /// A percent-encoded text that is appended to the query.
    var query = ""
    /// Parameters that the client writes in its own style: into the query, or as the body.
    var parameters = Parameters()
    var queryParameters: Set<String> = []
    var fields = Fields()
    var body: EndpointBody?
    var credentials: Credentials?

    private var pairs: [(name: String, value: String)] = []
    private var cookies: [String] = []
    private var members = JSONObject()
    private var memberParameters: [(DefinedParameter, JSONValue)] = []

    /// Throws `request.parameter` with all errors of the parameters.
    init(
        _ definition: Definition, _ given: Parameters, body: EndpointBody?, credentials: [String: DefinedCredential],
        requestCodec: (any Codec)?
    ) throws(PlugboardError) {
        let call = try DefinedCall(definition, given, hasBody: body != nil)
        fields = definition.fields
        for (name, value) in definition.query { place(DefinedParameter(name, .query), value) }
        if definition.needsAuthorization == true {
            for field in definition.authorizationFields {
                fields.remove(FieldName(field.name))
                fields.append(FieldName(field.name), field.value)
                fields.markSecret(FieldName(field.name))
            }
            for (name, value) in definition.authorizationQuery { place(DefinedParameter(name, .query), value) }
        }
        for (parameter, value) in call.values where parameter.place != .path {
            try write(parameter, value, definition)
        }
        for (name, value) in call.others {
            if definition.body?.isObject == true {
                members[name] = value
                memberParameters.append((DefinedParameter(name, .body), value))
            } else {
                parameters.append(name, value)
            }
        }
        try authorize(definition, credentials)
        path = try DefinedRequest.path(of: definition, call)
        query = pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        if !cookies.isEmpty {
            fields[.cookie] = ([fields[.cookie]].compactMap(\.self) + cookies).joined(separator: "; ")
        }
        if let body { self.body = body } else { self.body = try makeBody(definition, call.body, requestCodec) }
    }

    private mutating func place(_ parameter: DefinedParameter, _ value: JSONValue) {
        parameters.append(parameter.sentName, value)
        if parameter.place == .query { queryParameters.insert(parameter.sentName) }
    }

    private mutating func write(
        _ parameter: DefinedParameter, _ value: JSONValue, _ definition: Definition
    ) throws(PlugboardError) {
        switch parameter.place {
        case .query where parameter.style != nil:
            pairs += try StyledParameter(parameter, value, usual: .form).pairs()
        case .header:
            let text = try StyledParameter(parameter, value, usual: .simple).fieldText()
            fields.remove(FieldName(parameter.sentName))
            fields.append(FieldName(parameter.sentName), text)
        case .cookie:
            let pairs = try StyledParameter(parameter, value, usual: .form).pairs()
            cookies += pairs.map { "\($0.name)=\($0.value)" }
        case .body:
            members[parameter.sentName] = value
            memberParameters.append((parameter, value))
        case .path, .query, nil:
            place(parameter, value)
        }
    }

    /// Adds the credentials of the first security requirement for which the program has all credentials.
    private mutating func authorize(
        _ definition: Definition, _ known: [String: DefinedCredential]
    ) throws(PlugboardError) {
        if definition.needsAuthorization == false {
            credentials = Credentials.none
            return
        }
        guard !known.isEmpty else { return }
        let entry = definition.security.first { entry in
            !entry.isEmpty && entry.allSatisfy { scheme in known[scheme.name].map { scheme.takes($0) } ?? false }
        }
        for scheme in entry ?? [] {
            switch (scheme.kind, known[scheme.name]) {
            case (_, .basic(let user, let password)?): credentials = .basic(user: user, password: password)
            case (_, .bearer(let token)?): credentials = .bearer(token)
            case (.key(let place, let name), .key(let key)?):
                var parameter = DefinedParameter(name, place)
                parameter.style = place == .header ? .simple : .form
                try write(parameter, .string(key), definition)
                if place == .header { fields.markSecret(FieldName(name)) }
            default: break
            }
        }
    }

    /// The path with its placeholders filled. A value cannot change other segments.
    private static func path(of definition: Definition, _ call: DefinedCall) throws(PlugboardError) -> String {
        let name = Printable.text(definition.name)
        let template: URLTemplate
        do throws(URLTemplate.Invalid) {
            template = try URLTemplate(path: definition.wholePath)
        } catch {
            throw PlugboardError(.requestURL, "The path of \(name) \(error.reason).")
        }
        var values: [String: (DefinedParameter, JSONValue)] = [:]
        for (parameter, value) in call.values where parameter.place == .path {
            values[parameter.sentName] = (parameter, value)
        }
        let path = try template.filled(hasHost: false, of: { name }) {
            (placeholder: String, path: inout [UInt8]) throws(PlugboardError) in
            guard let (parameter, value) = values[placeholder] else {
                throw URLTemplate.refusal(placeholder, "has no value", name)
            }
            path += try StyledParameter(parameter, value, usual: .simple).pathText().utf8
        }
        return String(decoding: path, as: UTF8.self)
    }

    private func makeBody(
        _ definition: Definition, _ whole: JSONValue?, _ codec: (any Codec)?
    ) throws(PlugboardError) -> EndpointBody? {
        guard let body = definition.body else {
            // These are the parameters with the place `body`; the client makes a body of parameters without a place.
            return members.isEmpty ? nil : .value(JSONValue.object(members), with: codec)
        }
        guard whole != nil || !members.isEmpty || body.isRequired else { return nil }
        switch body.form {
        case .json:
            return .text(JSONWriter.write(whole ?? .object(members)), type: body.contentType)
        case .form:
            if let text = whole?.stringValue { return .text(text, type: body.contentType) }
            var pairs: [(name: String, value: String)] = []
            for (parameter, value) in memberParameters {
                pairs += try StyledParameter(parameter, value, usual: .form).pairs()
            }
            let text = pairs.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            return .text(text, type: body.contentType)
        case .multipart:
            return try MultipartBody.body(memberParameters)
        case .text, .raw:
            return .text(whole.map { $0.stringValue ?? JSONWriter.write($0) } ?? "", type: body.contentType)
        }
    }
}

extension Definition {
    /// Base, prefix and path with placeholders, for people. Begins with a slash if there is no base.
    public var urlTemplate: String {
        var base = (base ?? "")[...]
        while base.utf8.last == UInt8(ascii: "/") { base = base.dropLast() }
        let path = wholePath
        if URLParts(path)?.scheme != nil { return path }
        return "\(base)\(path.utf8.first == UInt8(ascii: "/") ? "" : "/")\(path)"
    }

    /// The prefix and the path, with one slash between them.
    var wholePath: String {
        let path = path ?? ""
        guard let pathPrefix, !pathPrefix.isEmpty, URLParts(path)?.scheme == nil else { return path }
        var prefix = pathPrefix[...]
        while prefix.utf8.last == UInt8(ascii: "/") { prefix = prefix.dropLast() }
        let rest = path.utf8.drop { $0 == UInt8(ascii: "/") }
        return "\(prefix)/\(String(Substring(rest)))"
    }
}
