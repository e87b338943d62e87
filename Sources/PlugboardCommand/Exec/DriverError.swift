import JSON
import PlugboardKit

/// Why a line of `plugboard exec` has no success to tell of.
struct DriverError: Error {
    /// The bounded set of words that programs can tell faults apart by.
    enum Kind: String {
        case dns, connect, tls, timeout, redirect, `protocol`, body, limit, schema, cache, unsupported, invalid, url
        case aborted
    }

    let kind: Kind
    let message: String
    /// The code of the error, such as a plugin's own; nil where the driver itself has refused.
    var code: PlugboardError.Code?
    /// What there is of the answer if one had begun.
    var answer: DriverResult?

    init(_ kind: Kind, _ message: String, answer: DriverResult? = nil) {
        self.kind = kind
        self.message = message
        self.answer = answer
    }

    init(_ error: PlugboardError, answer: DriverResult? = nil) {
        self.init(DriverError.kind(of: error.code), error.description, answer: answer)
        code = error.code
    }

    func reply(id: JSONValue?) -> JSONObject {
        var reply = answer?.reply(id: id) ?? ["id": id ?? .null]
        var error: JSONObject = ["kind": .string(kind.rawValue), "message": .string(message)]
        if let code { error["code"] = .string(code.name) }
        reply["error"] = .object(error)
        return reply
    }

    /// Codes of `PlugboardError`; one that is not listed has the kind of the nearest above it.
    private static let kinds: [String: Kind] = [
        "timeout": .timeout,
        "transport": .protocol,
        "transport.dns": .dns,
        "transport.connect": .connect,
        "transport.proxy": .connect,
        "transport.tls": .tls,
        "body": .body,
        "body.limit": .limit,
        "request": .invalid,
        "request.url": .url,
        "redirect": .redirect,
        "runaway": .redirect,
        "cache": .cache,
        "validator": .schema,
        "configuration": .invalid,
    ]

    private static func kind(of code: PlugboardError.Code) -> Kind {
        var name = code.name[...]
        while true {
            if let kind = kinds[String(name)] { return kind }
            guard let dot = name.lastIndex(of: ".") else { return .aborted }
            name = name[..<dot]
        }
    }
}
