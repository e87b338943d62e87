import JSON
import PlugboardKit

extension PluginCommands {
    /// What the plugin `cookies` can be asked to do: `try await kernel.cookies.all()`.
    public var cookies: CookieCommands { CookieCommands(asking: self) }
}

/// The commands of the plugin `cookies`. From any task.
///
/// `jar` is the jar's name; nil means the one of the settings. All throw `command.unknown` where the plugin is not switched on, and
/// `cookies.…` for what it refuses.
public struct CookieCommands: Sendable {
    private let commands: any PluginCommands

    fileprivate init(asking commands: any PluginCommands) { self.commands = commands }

    /// All cookies of a jar, values included; or those of a host and the domains it belongs to.
    public func all(jar: String? = nil, domain: String? = nil) async throws(PlugboardError) -> [StoredCookie] {
        try await ask("list", ["jar": jar, "domain": domain]).arrayValue?.compactMap { StoredCookie($0) } ?? []
    }

    /// Keeps a cookie as if the answer to a request for the URL had carried it in `Set-Cookie`.
    ///
    /// Throws `cookies.refused` with the rule that it breaks. When it returns, a persistent cookie is in the file.
    public func set(_ cookie: String, for url: String, jar: String? = nil) async throws(PlugboardError) {
        _ = try await ask("set", ["cookie": cookie, "url": url, "jar": jar])
    }

    /// What a request for the URL would carry in `Cookie`; nil for nothing.
    public func get(_ url: String, jar: String? = nil) async throws(PlugboardError) -> String? {
        try await ask("get", ["url": url, "jar": jar])["cookie"]?.stringValue
    }

    /// Removes the cookies that all of what is given is true of, and returns how many they were.
    @discardableResult
    public func delete(
        name: String? = nil, domain: String? = nil, path: String? = nil, jar: String? = nil
    ) async throws(PlugboardError) -> Int {
        let answer = try await ask("delete", ["name": name, "domain": domain, "path": path, "jar": jar])
        return answer["deleted"]?.intValue.map { Int($0) } ?? 0
    }

    /// Removes the cookies of one jar, or of all.
    public func clear(jar: String? = nil) async throws(PlugboardError) {
        _ = try await ask("forget", ["jar": jar])
    }

    /// Adds the cookies of a `cookies.txt`, and returns what of it was no cookie: `line 7: …`.
    @discardableResult
    public func importFile(_ path: String, jar: String? = nil) async throws(PlugboardError) -> [String] {
        let answer = try await ask("import", ["path": path, "jar": jar])
        return answer["errors"]?.arrayValue?.map { error in
            "line \(error["line"]?.intValue ?? 0): \(error["reason"]?.stringValue ?? "")"
        } ?? []
    }

    /// Writes a `cookies.txt`, readable by its owner only, in place of what is there.
    public func exportFile(_ path: String, jar: String? = nil) async throws(PlugboardError) {
        _ = try await ask("export", ["path": path, "jar": jar])
    }

    private func ask(
        _ command: String, _ arguments: KeyValuePairs<String, String?>
    ) async throws(PlugboardError) -> JSONValue {
        let given = arguments.compactMap { name, value in value.map { (name, JSONValue.string($0)) } }
        let text: String = JSONWriter.write(.object(JSONObject(given)))
        guard case .json(let answer) = try await commands.command("cookies", command, text) else { return .null }
        return (try? JSONParser.parse(answer)) ?? .null
    }
}

/// A cookie as the plugin `cookies` keeps it.
///
/// Name, value and path are text where they are UTF-8, and else one character a byte (ISO 8859-1).
public struct StoredCookie: Sendable, Equatable {
    /// Empty for a cookie without a name.
    public var name: String
    public var value: String
    /// In lower case, without a leading dot.
    public var domain: String
    /// Sent to this host only, and to none beneath it.
    public var isHostOnly: Bool
    public var path: String
    /// Sent over https only.
    public var isSecure: Bool
    public var isHTTPOnly: Bool
    /// `strict`, `lax`, `none`, or `default` where the server did not say.
    public var sameSite: String
    /// Nil for a cookie that ends with the kernel.
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
