import PlugboardConfiguration
import PlugboardCore
import PlugboardJSON
import PlugboardKit

extension OpenAPIReader {
    /// The most servers of one list.
    private static let serverLimit = 100

    /// Checks the document's own servers, and whether the choice of a server is valid.
    mutating func checkServers() {
        if let url = server.url {
            if !KernelSettings.isBaseURL(url) {
                fatal.note([], "cannot be sent to the chosen server: it must be an absolute URL of http or https")
            }
            return
        }
        let list = servers(of: root)
        if server.index != 0 && !list.indices.contains(server.index) {
            let count = list.count
            fatal.note(
                ["servers"], "has \(count) server\(count == 1 ? "" : "s"), so that there is no server \(server.index)")
        }
        let names = Set(list.flatMap { variables(of: $0).keys })
        for name in server.variables.keys.sorted() where !names.contains(name) {
            fatal.note(["servers"], "has \(unknownVariable(name, names))")
        }
    }

    private func unknownVariable(_ name: String, _ known: Set<String>) -> String {
        let near = Spelling.nearest(name, in: known.sorted()).map { "; did you mean \($0)?" } ?? ""
        return "no variable \(Printable.text(name))\(near)"
    }

    /// Sets the server of an operation: its own servers override those of its path, and those the document's.
    mutating func setServer(of definition: inout Definition, _ node: ConfigurationNode, _ item: ConfigurationNode) {
        if let url = server.url {
            setBase(of: &definition, url)
            return
        }
        for level in [node, item, root] {
            let list = servers(of: level)
            guard !list.isEmpty else { continue }
            let chosen = list.indices.contains(server.index) ? list[server.index] : list[0]
            if let url = url(of: chosen) { setBase(of: &definition, url) }
            return
        }
    }

    /// Uses an absolute URL as the base. A relative URL is a prefix of the path, below the client's base.
    private func setBase(of definition: inout Definition, _ url: String) {
        var url = url[...]
        // The path of an operation begins with a slash, and is appended (OpenAPI §4.8.8).
        while url.utf8.last == UInt8(ascii: "/") { url = url.dropLast() }
        if url.isEmpty { return }
        if KernelSettings.isBaseURL(String(url)) {
            definition.base = String(url)
        } else {
            definition.pathPrefix = String(url)
        }
    }

    private mutating func servers(of node: ConfigurationNode) -> [ConfigurationNode] {
        guard let value = node.value["servers"] else { return [] }
        let list = node.member("servers", value)
        guard let values = value.arrayValue, values.count <= OpenAPIReader.serverLimit else {
            reading.noteOnce(list.path, "must be a list of at most \(OpenAPIReader.serverLimit) servers")
            return []
        }
        return values.enumerated().map { ConfigurationNode(value: $1, path: list.path.appending(.index($0))) }
    }

    private func variables(of server: ConfigurationNode) -> JSONObject {
        server.value["variables"]?.objectValue ?? [:]
    }

    /// The URL of a server with its variables; nil after an error was noted.
    private mutating func url(of node: ConfigurationNode) -> String? {
        noteUnknown(of: node, OpenAPIKeys.server)
        let path = node.path.appending("url")
        guard let text = node.value["url"]?.stringValue else {
            reading.noteOnce(path, "must be a URL, with {variables}")
            return nil
        }
        let pieces = text.utf8.split(separator: UInt8(ascii: "{"), omittingEmptySubsequences: false)
        var url = String(Substring(pieces[0]))
        let variables = variables(of: node)
        for piece in pieces.dropFirst() {
            guard let end = piece.firstIndex(of: UInt8(ascii: "}")) else {
                reading.noteOnce(path, "has a { without its }")
                return nil
            }
            let name = String(Substring(piece[..<end]))
            guard let value = value(ofVariable: name, variables, at: node.path) else { return nil }
            url += value + Substring(piece[piece.index(after: end)...])
        }
        let isRelative = URLParts(url).map { $0.scheme == nil && $0.authority == nil } ?? false
        let hasQuery = url.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        guard !hasQuery, isRelative || KernelSettings.isBaseURL(url) else {
            reading.noteOnce(path, "must be an absolute URL of http or https, or a path, without a query")
            return nil
        }
        return url
    }

    private mutating func value(
        ofVariable name: String, _ variables: JSONObject, at server: JSONPath
    ) -> String? {
        let path = server.appending("variables").appending(.key(name))
        guard let variable = variables[name] else {
            reading.noteOnce(
                server.appending("url"), "has {\(Printable.text(name))}, which is not one of the server's variables")
            return nil
        }
        let values = variable["enum"]?.arrayValue?.compactMap(\.stringValue)
        guard let value = self.server.variables[name] ?? variable["default"]?.stringValue else {
            reading.noteOnce(
                path.appending("default"),
                "must be the default value of the variable; choose a value or another server")
            return nil
        }
        if let values, !values.contains(value), self.server.variables[name] != nil {
            fatal.noteOnce(path, "must be one of \(values.prefix(20).joined(separator: ", "))")
            return nil
        }
        return value
    }
}
