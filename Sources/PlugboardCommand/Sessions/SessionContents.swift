import PlugboardJSON
import PlugboardMessages

/// What a session keeps beside cookies: fields and a credential for each origin.
struct SessionContents: Equatable {
    /// What requests to one origin get.
    struct Part: Equatable {
        var fields: [Field] = []
        var credential: Credential?
    }

    struct Field: Equatable {
        let name: FieldName
        let value: String
    }

    enum Credential: Equatable {
        case basic(user: String, password: String)
        case bearer(String)
    }

    /// Why a file cannot be read, as the end of a sentence. It quotes no values, because they are secrets.
    struct Damage: Error {
        let reason: String
    }

    /// The parts by origin, by the digits of the route if a request takes a detour (`Route.detour`), and by trust.
    var parts: [String: Part] = [:]

    private static let version = 1

    init() {}

    init(_ bytes: [UInt8]) throws(Damage) {
        let document: JSONValue
        do {
            document = try JSONParser.parse(bytes)
        } catch {
            throw Damage(reason: "is damaged: \(error.reason) (line \(error.position.line))")
        }
        guard let version = document["version"]?.intValue else { throw Damage(reason: "is damaged: it has no version") }
        guard version == SessionContents.version else {
            throw Damage(reason: "is of another version of plugboard (\(version))")
        }
        guard let origins = document["origins"]?.objectValue else {
            throw Damage(reason: "is damaged: it has no origins")
        }
        for (origin, value) in origins {
            guard let part = Part(value) else {
                throw Damage(reason: "is damaged: \(Printable.text(origin)) is unreadable")
            }
            parts[origin] = part
        }
    }

    var bytes: [UInt8] {
        let origins = parts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
        let document: JSONValue = [
            "version": .number(JSONNumber(SessionContents.version)), "origins": .object(JSONObject(origins)),
        ]
        let text: String = JSONWriter.write(document, options: .init(pretty: true))
        return Array("\(text)\n".utf8)
    }
}

extension SessionContents.Part {
    fileprivate init?(_ value: JSONValue) {
        guard let fields = value["fields"]?.arrayValue else { return nil }
        for field in fields {
            guard let parts = field.arrayValue, parts.count == 2, let name = parts[0].stringValue,
                let text = parts[1].stringValue
            else { return nil }
            self.fields.append(SessionContents.Field(name: FieldName(name), value: text))
        }
        if let user = value["user"]?.stringValue, let password = value["password"]?.stringValue {
            credential = .basic(user: user, password: password)
        } else if let token = value["token"]?.stringValue {
            credential = .bearer(token)
        }
    }

    fileprivate var json: JSONValue {
        var object: JSONObject = ["fields": .array(fields.map { [.string($0.name.text), .string($0.value)] })]
        switch credential {
        case .basic(let user, let password):
            object["user"] = .string(user)
            object["password"] = .string(password)
        case .bearer(let token): object["token"] = .string(token)
        case nil: break
        }
        return .object(object)
    }

    /// Takes the fields of a request: each replaces those of its name, and one without a value removes them. Fields
    /// that describe one request are not kept.
    mutating func take(_ arguments: [FieldArgument]) {
        let kept = arguments.filter { SessionContents.Part.isKept($0.name) }
        fields.removeAll { field in kept.contains { $0.name == field.name } }
        fields += kept.compactMap { argument in
            argument.value.map { SessionContents.Field(name: argument.name, value: $0) }
        }
    }

    /// Cookies and credentials are kept by rules of their own.
    private static func isKept(_ name: FieldName) -> Bool {
        let text = name.text.lowercased()
        return !text.hasPrefix("content-") && !text.hasPrefix("if-")
            && ![
                "cookie", "authorization", "proxy-authorization", "host", "range", "referer", "expect", "connection",
                "transfer-encoding", "te", "trailer",
                "upgrade", "date", "idempotency-key",
            ].contains(text)
    }
}
