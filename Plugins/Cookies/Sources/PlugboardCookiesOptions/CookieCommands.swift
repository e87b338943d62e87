import PlugboardJSON
import PlugboardKit

extension PluginCommands {
    /// The commands of the plugin `cookies`: `try await kernel.cookies.all()`.
    public var cookies: CookieCommands { CookieCommands(of: self) }
}

/// The commands of the plugin `cookies`. Called from any task.
///
/// `jar` is the jar's name; nil means the setting `jar`. All throw `command.unknown` if the plugin is not enabled, and
/// a code that begins with `cookies.` if the plugin refuses an argument.
public struct CookieCommands: Sendable {
    private let commands: any PluginCommands

    fileprivate init(of commands: any PluginCommands) { self.commands = commands }

    /// All cookies of a jar, including their values; or only those of a host and of the domains it belongs to.
    public func all(jar: String? = nil, domain: String? = nil) async throws(PlugboardError) -> [StoredCookie] {
        try await ask("list", ["jar": jar, "domain": domain]).arrayValue?.compactMap { StoredCookie($0) } ?? []
    }

    /// Stores a cookie as if a response to a request for the URL had set it with `Set-Cookie`.
    ///
    /// Throws `cookies.refused` with the rule that the cookie breaks. On return a persistent cookie is in the file.
    public func set(_ cookie: String, for url: String, jar: String? = nil) async throws(PlugboardError) {
        _ = try await ask("set", ["cookie": cookie, "url": url, "jar": jar])
    }

    /// The value of `Cookie` that a request for the URL would send; nil for none.
    public func get(_ url: String, jar: String? = nil) async throws(PlugboardError) -> String? {
        try await ask("get", ["url": url, "jar": jar])["cookie"]?.stringValue
    }

    /// Removes the cookies that match all given arguments, and returns their number.
    @discardableResult
    public func delete(
        name: String? = nil, domain: String? = nil, path: String? = nil, jar: String? = nil
    ) async throws(PlugboardError) -> Int {
        let reply = try await ask("delete", ["name": name, "domain": domain, "path": path, "jar": jar])
        return reply["deleted"]?.intValue.map { Int($0) } ?? 0
    }

    /// Removes the cookies of one jar, or of all jars.
    public func clear(jar: String? = nil) async throws(PlugboardError) {
        _ = try await ask("forget", ["jar": jar])
    }

    /// Adds the cookies of a `cookies.txt`, and returns an error for each line that is not a cookie: `line 7: …`.
    @discardableResult
    public func importFile(_ path: String, jar: String? = nil) async throws(PlugboardError) -> [String] {
        let reply = try await ask("import", ["path": path, "jar": jar])
        return reply["errors"]?.arrayValue?.map { error in
            "line \(error["line"]?.intValue ?? 0): \(error["reason"]?.stringValue ?? "")"
        } ?? []
    }

    /// Writes a `cookies.txt`, which only its owner can read, and replaces an existing file.
    public func exportFile(_ path: String, jar: String? = nil) async throws(PlugboardError) {
        _ = try await ask("export", ["path": path, "jar": jar])
    }

    private func ask(
        _ command: String, _ arguments: KeyValuePairs<String, String?>
    ) async throws(PlugboardError) -> JSONValue {
        let given = arguments.compactMap { name, value in value.map { (name, JSONValue.string($0)) } }
        return try await commands.json("cookies", command, JSONObject(given))
    }
}

/// A cookie as the plugin `cookies` stores it.
///
/// Name, value and path are decoded as UTF-8 if they are valid, otherwise as ISO 8859-1.
public struct StoredCookie: Sendable, Equatable {
    /// The name; empty for a cookie without one.
    public var name: String
    /// The value as the server sent it, including quotes.
    public var value: String
    /// The domain or host, in lower case and without a leading dot.
    public var domain: String
    /// Whether the cookie is sent to this host only, and not to its subdomains.
    public var isHostOnly: Bool
    /// The path that a request's path must match.
    public var path: String
    /// Whether the cookie is sent over https only.
    public var isSecure: Bool
    /// Whether the server asked that scripts do not see the cookie (`HttpOnly`).
    public var isHTTPOnly: Bool
    /// `strict`, `lax`, `none`, or `default` if the server did not specify it.
    public var sameSite: String
    /// When the cookie expires; nil for a cookie of the session, which ends with the kernel.
    public var expires: HTTPDate?

    fileprivate init?(_ value: JSONValue) {
        guard let name = value["name"]?.stringValue, let text = value["value"]?.stringValue,
            let domain = value["domain"]?.stringValue, let path = value["path"]?.stringValue
        else { return nil }
        self.name = name
        self.value = text
        self.domain = domain
        self.path = path
        isHostOnly = value["hostOnly"]?.boolValue ?? false
        isSecure = value["secure"]?.boolValue ?? false
        isHTTPOnly = value["httpOnly"]?.boolValue ?? false
        sameSite = value["sameSite"]?.stringValue ?? ""
        expires = value["expires"]?.stringValue.flatMap { HTTPDate($0, now: HTTPDate(seconds: 0)) }
    }
}
