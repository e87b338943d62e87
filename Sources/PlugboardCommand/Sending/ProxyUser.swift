import PlugboardKit
import PlugboardSystem

/// The credentials of `--proxy-user`, which proxies get as part of their URLs.
struct ProxyUser {
    /// Name and password as a URL has them, with `@`.
    private let userinfo: String

    /// Blocks where it asks for a password that is left out.
    init(_ text: String) throws(CommandFailure) {
        var parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 1 {
            let prompt = "Proxy password for \(Printable.text(text)): "
            parts.append(try SecretPrompt.ask(prompt, for: "--proxy-user"))
        }
        let escaped = parts.map { part in
            var bytes: [UInt8] = []
            PercentEncoding.append(escaping: part, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
        userinfo = escaped.joined(separator: ":") + "@"
    }

    /// The proxy with a scheme and these credentials. As for curl, its own credentials come first.
    func added(to proxy: String) -> String {
        let url = ProxyUser.url(of: proxy)
        guard let start = url.firstRange(of: "://")?.upperBound,
            !url[start...].prefix(while: { $0 != "/" }).contains("@")
        else { return url }
        return "\(url[..<start])\(userinfo)\(url[start...])"
    }

    /// The proxy with a scheme; empty for no proxy.
    static func url(of proxy: String) -> String {
        proxy.isEmpty || proxy.contains("://") ? proxy : "http://\(proxy)"
    }

    // MARK: The environment

    /// The proxies that the environment had at first, by their variables.
    private static let environmentProxies = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ].compactMap { name in environment(name).map { (name: name, proxy: $0) } }

    /// Whether the environment names a proxy.
    static var isInEnvironment: Bool { environmentProxies.contains { !$0.proxy.isEmpty } }

    /// Gives the proxies of the environment the credentials, or for nil what they had at first. libcurl reads the
    /// variable of the scheme for each request, also after a redirect.
    ///
    /// Call this while no kernel runs, because its threads read the environment.
    static func use(_ user: ProxyUser?) {
        for (name, proxy) in environmentProxies {
            let value = proxy.isEmpty ? proxy : user?.added(to: proxy) ?? proxy
            if environment(name) != value { setenv(name, value, 1) }
        }
    }
}
