import PlugboardKit
import PlugboardSystem

extension CurlGroup {
    // MARK: Schemes

    private static let schemes: Set<String> = ["http", "https"]

    /// The schemes after `--proto` or `--proto-redir`: names with commas between them, each perhaps after `+`, `-` or
    /// `=`, where `=` allows it alone.
    private func schemes(_ option: String) throws(CommandFailure) -> Set<String> {
        guard let text = values[option] else { return CurlGroup.schemes }
        var allowed = CurlGroup.schemes
        for part in text.lowercased().split(separator: ",") {
            let sign = part.first.flatMap { "+-=".contains($0) ? $0 : nil }
            let name = String(sign == nil ? part : part.dropFirst())
            let all: Set<String> = name == "all" ? CurlGroup.schemes : [name]
            switch sign {
            case "-": allowed.subtract(all)
            case "=": allowed = all
            default: allowed.formUnion(all)
            }
        }
        return allowed
    }

    func redirectRules() throws(CommandFailure) -> CurlHop.Rules {
        var rules = CurlHop.Rules()
        rules.keptPosts = Set([301, 302, 303].filter { self["post\($0)"] })
        if let limit = try number("max-redirs", allowing: -1) { rules.limit = limit < 0 ? nil : limit }
        rules.schemes = try schemes("proto-redir").intersection(CurlGroup.schemes)
        rules.isPathKept = self["path-as-is"]
        return rules
    }

    var follows: Bool { self["location"] || self["location-trusted"] }

    /// Throws for a URL that may not be used, and for options that Plugboard does not have for its scheme.
    func check(_ url: String) throws(CommandFailure) {
        if url.contains(" ") { throw CommandFailure(.url, "The URL has a space, which must be written as %20.") }
        let scheme = URLParts(url)?.scheme?.lowercased() ?? ""
        guard CurlGroup.schemes.contains(scheme) else {
            throw CommandFailure(.failure, "The scheme \(Printable.text(scheme)) is neither http nor https.")
        }
        guard try schemes("proto").contains(scheme) else {
            throw CommandFailure(.failure, "The scheme \(scheme) is not allowed (--proto).")
        }
        try checkOptions(for: url)
    }

    /// Throws for options of TLS that Plugboard does not have, if the URL needs TLS.
    func checkOptions(for url: String) throws(CommandFailure) {
        if URLParts(url)?.scheme?.lowercased() == "https", let name = withoutTLS.first {
            throw CommandFailure(
                .usage, "curl: option --\(name) cannot be used with https: Plugboard has nothing like it.")
        }
    }

    // MARK: The connection

    /// The options of requests to this URL.
    func options(_ words: CurlWords, for url: String) throws(CommandFailure) -> RequestOptions {
        var options = try words.arguments.connection.options()
        if let name = self["proxytunnel"] ? "proxytunnel" : withoutProxy.first {
            if options.proxy ?? "" != "" {
                throw CommandFailure(
                    .usage, "curl: option --\(name) cannot be used with a proxy: Plugboard has nothing like it.")
            }
            if options.proxy == nil, options.unixSocket == nil,
                let variable = proxyVariable(isTLS: URLParts(url)?.scheme?.lowercased() == "https")
            {
                throw CommandFailure(
                    .usage,
                    "curl: option --\(name) cannot be used with the proxy of \(variable): Plugboard has nothing like it. "
                        + "--proxy '' uses no proxy.")
            }
        }
        switch values["tls-max"] {
        case nil, "default", "1.3": break
        default: throw CommandFailure(.usage, "curl: --tls-max can only be 1.3: Plugboard has no highest version.")
        }
        if flags["alpn"] == false { options.httpVersion = .http1 }
        try limitSpeed(of: &options)
        return options
    }

    /// The time of `--speed-time`.
    var speedTime: Duration {
        get throws(CommandFailure) { .seconds(max(try number("speed-time") ?? 30, 1)) }
    }

    /// The time in which at least something must be sent or received; nil for no limit.
    var idleTimeout: Duration? {
        get throws(CommandFailure) {
            values["speed-time"] != nil || values["speed-limit"] != nil ? try speedTime : nil
        }
    }

    /// Applies `--limit-rate` and `--speed-time`.
    func limitSpeed(of options: inout RequestOptions) throws(CommandFailure) {
        if let limit = try bytes("limit-rate") {
            options.speed.download = .bytes(limit)
            options.speed.upload = .bytes(limit)
        }
        if let idleTimeout = try idleTimeout { options.idleTimeout = idleTimeout }
    }
}
