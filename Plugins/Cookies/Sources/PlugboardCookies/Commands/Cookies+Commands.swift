import PlugboardCookiesOptions
import PlugboardJSON
import PlugboardKit

/// The commands. They run on their own threads and may block: each first reads what other processes have written.
extension Cookies {
    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        guard let command = CookieCommand(rawValue: name) else {
            reply.fail(PlugboardError(.commandUnknown, "The plugin cookies has no command \(name)."))
            return
        }
        do throws(PlugboardError) {
            let arguments = try CommandArguments(arguments, of: command.definition, code: .cookiesArgument)
            switch command {
            case .list: reply.json(try list(arguments))
            case .get: reply.json(try get(arguments))
            case .set: reply.json(try set(arguments))
            case .delete: reply.json(try delete(arguments))
            case .import: reply.json(try importFile(arguments))
            case .export: try export(arguments, reply)
            case .forget:
                let jar: String? = try arguments["jar"]
                jars.clear(jar)
                unverified.clear(jar)
                reply.json(["forgotten": true])
            case .stats: reply.json(stats())
            case .date:
                let date = CookieDate(try arguments.required("text").utf8)
                reply.json(["date": date.map { .string($0.text) } ?? .null])
            case .registrable:
                let domain = suffixes.registrableDomain(of: try arguments.required("host"))
                reply.json(["domain": domain.map { .string($0) } ?? .null])
            }
        } catch {
            reply.fail(error)
        }
    }

    private func jar(_ arguments: CommandArguments) throws(PlugboardError) -> String {
        try arguments["jar"] ?? settings.jar
    }

    /// The named jar; without a name, the jar that requests to the URL use.
    private func jar(_ arguments: CommandArguments, for url: String) throws(PlugboardError) -> String {
        try arguments["jar"] ?? jar(for: url)
    }

    private func uri(_ arguments: CommandArguments) throws(PlugboardError) -> RequestURI {
        let url = try arguments.required("url")
        guard let uri = RequestURI(url, trustsLoopback: settings.trustLoopback) else {
            throw PlugboardError(
                .cookiesArgument, "url is not an absolute http or https URL with a host in ASCII (xn--…).")
        }
        return uri
    }

    private func list(_ arguments: CommandArguments) throws(PlugboardError) -> JSONValue {
        let domain = try arguments["domain"]?.lowercased()
        jars.synchronize()
        let cookies = jars.withJar(try jar(arguments)) { jar, now in
            jar.cookies.filter { cookie in
                !cookie.hasExpired(at: now) && (domain.map { cookie.belongs(to: $0) } ?? true)
            }
        }
        return .array(cookies.map(\.json))
    }

    private func get(_ arguments: CommandArguments) throws(PlugboardError) -> JSONValue {
        let uri = try uri(arguments)
        jars.synchronize()
        let field = jars.field(for: uri, from: try jar(arguments, for: try arguments.required("url")))
        return ["cookie": field.map { .string(Fields.text($0)) } ?? .null]
    }

    private func set(_ arguments: CommandArguments) throws(PlugboardError) -> JSONValue {
        let uri = try uri(arguments)
        let text = Array(try arguments.required("cookie").utf8)
        let name = try jar(arguments, for: try arguments.required("url"))
        jars.synchronize()
        let result = jars.withJar(name) { jar, now in
            Result { () throws(Refusal) in try jar.receive(try SetCookie(text), from: uri, now: now) }
        }
        switch result {
        case .success(let reception):
            jars.synchronize()
            return ["stored": .bool(reception == .stored)]
        case .failure(let refusal):
            throw PlugboardError(.cookiesRefused, "The cookie is refused: \(refusal.rawValue).")
        }
    }

    private func delete(_ arguments: CommandArguments) throws(PlugboardError) -> JSONValue {
        let name = try arguments["name"].map { Array($0.utf8) }
        let domain = try arguments["domain"].map { $0.lowercased() }
        let path = try arguments["path"].map { Array($0.utf8) }
        guard name != nil || domain != nil || path != nil else {
            throw PlugboardError(
                .cookiesArgument, "delete needs name, domain or path. The command forget removes all cookies.")
        }
        let jar = try jar(arguments)
        jars.synchronize()
        let count = jars.withJar(jar) { jar, _ in
            jar.remove { cookie in
                (name ?? cookie.id.name) == cookie.id.name && (domain ?? cookie.id.domain) == cookie.id.domain
                    && (path ?? cookie.id.path) == cookie.id.path
            }
        }
        jars.synchronize()
        return ["deleted": .number(JSONNumber(count))]
    }

    private func importFile(_ arguments: CommandArguments) throws(PlugboardError) -> JSONValue {
        let text = try arguments["text"].map { Array($0.utf8) }
        let bytes: [UInt8]
        if let text {
            bytes = text
        } else {
            let path = try arguments.required("path")
            bytes = try WholeFile.bytes(of: path, limit: .mebibytes(64), code: .cookiesFile, waits: true)
        }
        let name = try jar(arguments)
        jars.synchronize()
        let content = jars.withJar(name) { [suffixes] jar, now in
            let content = NetscapeFile.read(bytes, now: now, suffixes: suffixes)
            for cookie in content.cookies { jar.put(cookie, now: now) }
            return content
        }
        jars.synchronize()
        let errors = content.errors.map { error in
            JSONValue.object(["line": .number(JSONNumber(error.line)), "reason": .string(error.reason)])
        }
        return ["imported": .number(JSONNumber(content.cookies.count)), "errors": .array(errors)]
    }

    private func export(_ arguments: CommandArguments, _ reply: Reply) throws(PlugboardError) {
        let path = try arguments["path"]
        jars.synchronize()
        let cookies = jars.withJar(try jar(arguments)) { jar, now in jar.cookies.filter { !$0.hasExpired(at: now) } }
        let (bytes, skipped) = NetscapeFile.write(cookies)
        if skipped > 0 {
            host.log(.warning, "\(skipped) cookies contain a tab or a line break, and cannot be exported.")
        }
        guard let path else {
            reply.body(.bytes(bytes))
            return
        }
        try WholeFile.save(bytes, to: path, code: .cookiesFile)
        reply.json(["exported": .number(JSONNumber(cookies.count - skipped))])
    }

    private func stats() -> JSONValue {
        jars.synchronize()
        var all = JSONObject()
        for name in jars.names {
            all[name] = jars.withJar(name) { jar, now in
                let cookies = jar.cookies.filter { !$0.hasExpired(at: now) }
                let ofSession = cookies.count { $0.expires == nil }
                return [
                    "cookies": .number(JSONNumber(cookies.count)), "ofSession": .number(JSONNumber(ofSession)),
                    "domains": .number(JSONNumber(jar.domains.count)),
                ]
            }
        }
        return ["jars": .object(all)]
    }
}

extension Cookie {
    fileprivate func belongs(to host: String) -> Bool {
        id.isHostOnly ? id.domain == host : HostName.matches(host, domain: id.domain)
    }

    fileprivate var json: JSONValue {
        [
            "name": .string(Fields.text(id.name)), "value": .string(Fields.text(value)), "domain": .string(id.domain),
            "hostOnly": .bool(id.isHostOnly), "path": .string(Fields.text(id.path)), "secure": .bool(isSecure),
            "httpOnly": .bool(isHTTPOnly), "sameSite": .string(sameSite.rawValue),
            "expires": expires.map { .string(HTTPDate($0).description) } ?? .null,
        ]
    }
}
