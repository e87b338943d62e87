import PlugboardJSON
import PlugboardKit

/// The error of a line of `plugboard exec`.
struct DriverError: Error {
    /// The kinds of errors, for programs: a bounded set of words.
    enum Kind: String, CaseIterable {
        case dns, connect, tls, timeout, redirect, `protocol`, body, limit, schema, cache, unsupported, invalid, url
        case aborted
    }

    let kind: Kind
    let message: String
    /// The code of the kernel's or a plugin's error; nil if the line itself was refused.
    var code: PlugboardError.Code?
    /// The part of the response that came before the error, if a response had begun.
    var partial: DriverResult?

    init(_ kind: Kind, _ message: String, partial: DriverResult? = nil) {
        self.kind = kind
        self.message = message
        self.partial = partial
    }

    init(_ error: PlugboardError, partial: DriverResult? = nil) {
        self.init(DriverError.kind(of: error.code), error.description, partial: partial)
        code = error.code
    }

    func reply(id: JSONValue?) -> JSONObject {
        var reply = partial?.reply(id: id) ?? ["id": id ?? .null]
        var error: JSONObject = ["kind": .string(kind.rawValue), "message": .string(message)]
        if let code { error["code"] = .string(code.name) }
        reply["error"] = .object(error)
        return reply
    }

    /// The kinds of the codes of `PlugboardError`; a code that is not listed has the kind of its longest listed prefix.
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
