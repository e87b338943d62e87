import PlugboardSystem

/// Identifies the route by which a request is sent, and the trust in the server: the options of the request and of the
/// configuration that decide on them for its URL.
///
/// What is stored or shared of one request is used only for requests with an equal route, and is not stored if the
/// route is not verified. It does not depend on the machine's own network: its name look-up, its routing table, and the
/// proxies of its environment, except that the trust in such a proxy counts if it is reached over TLS.
public struct Route: Sendable, Hashable {
    /// Empty without such options; otherwise 32 hexadecimal digits, which are the same in other processes.
    public let text: String
    /// Whether the server's certificate is verified, if there is one.
    public let isVerified: Bool
    /// Whether a Unix socket or `connectTo` leads to another server than the URL's host and port.
    public let isDetour: Bool

    /// The route of a request without such options.
    public static let direct = Route(text: "", isVerified: true, isDetour: false)

    package init(text: String, isVerified: Bool, isDetour: Bool) {
        (self.text, self.isVerified, self.isDetour) = (text, isVerified, isDetour)
    }

    /// 16 digits that identify the Unix socket or the target of `connectTo`, and nothing else; nil if neither
    /// is used. Cookies, for example, belong to the server that the URL names by all routes without a detour.
    public var detour: String? { isDetour ? String(text.prefix(16)) : nil }
}

extension RequestOptions {
    /// Whether any option is set that a route depends on.
    package var haveRoute: Bool {
        proxy != nil || noProxy != nil || connectTo != nil || interface != nil || unixSocket != nil || tls.ca != nil
            || tls.pins != nil || tls.certificate != nil || tls.key != nil || tls.verify != nil || target != nil
    }

    /// The route that these options give.
    ///
    /// - Parameters:
    ///   - isTLS: Whether the URL's scheme is https. Over http, the options of TLS matter only to a proxy that is
    ///     reached over TLS.
    ///   - target: Where `connectTo` leads for the URL.
    package func route(isTLS: Bool, connectingTo target: String?) -> Route {
        var detour: [String] = []
        var parts: [String] = []
        if let unixSocket {
            detour = ["unixSocket", RequestOptions.absolutePath(unixSocket)]
        } else {
            if let target { detour = ["connectTo", target] }
            if let proxy { parts += ["proxy", proxy] + proxyUserParts }
            if let noProxy { parts += ["noProxy", noProxy] }
            if let interface { parts += ["interface", interface] }
        }
        if let target = self.target { parts += ["target", target] }
        let isSecure = isTLS || hasSecureProxy(isTLS: false)
        if isSecure { parts += trustParts }
        if detour.isEmpty, parts.isEmpty { return .direct }
        return Route(
            text: RequestOptions.digest(detour) + RequestOptions.digest(parts),
            isVerified: !isSecure || tls.verify != false, isDetour: !detour.isEmpty)
    }

    /// Identifies those of these options that decide on a route to any URL; empty if there are none.
    package var allRoutes: String {
        guard haveRoute else { return "" }
        var parts: [String] = []
        func add(_ name: String, _ value: String?) { if let value { parts += [name, value] } }
        add("unixSocket", unixSocket.map(RequestOptions.absolutePath))
        add("proxy", proxy)
        if proxy != nil { parts += proxyUserParts }
        add("noProxy", noProxy)
        for (from, to) in (connectTo ?? [:]).sorted(by: { $0.key < $1.key }) { parts += ["connectTo", from, to] }
        add("interface", interface)
        add("target", self.target)
        return RequestOptions.digest(parts + trustParts)
    }

    /// Whether https or http URLs are reached by a proxy, which may be the environment's, to which TLS is spoken.
    package func hasSecureProxy(isTLS: Bool) -> Bool {
        if unixSocket != nil { return false }
        let proxy = proxy ?? proxyVariable(isTLS: isTLS).flatMap { environment($0) }
        return proxy?.lowercased().hasPrefix("https:") == true
    }

    private var proxyUserParts: [String] { proxyUser.map { ["proxyUser", $0.name, $0.password] } ?? [] }

    private var trustParts: [String] {
        var parts: [String] = []
        func add(_ name: String, _ value: String?) { if let value { parts += [name, value] } }
        if tls.verify == false { parts += ["tls.verify", "false"] }
        add("tls.ca", tls.ca.map(RequestOptions.absolutePath))
        for pin in (tls.pins ?? []).sorted() { parts += ["tls.pins", pin] }
        add("tls.certificate", tls.certificate.map(RequestOptions.absolutePath))
        add("tls.key", tls.key.map(RequestOptions.absolutePath))
        return parts
    }

    /// What journals of transfers keep of these options. A transfer is continued only with equal trust: bytes from a
    /// server that was not verified are not continued with verification, nor by a detour to another server. A transfer
    /// may be redirected to any host, so all entries of `connectTo` count.
    package var transferTrust: TransferTrust {
        var parts = unixSocket.map { ["unixSocket", RequestOptions.absolutePath($0)] } ?? []
        for (from, to) in (connectTo ?? [:]).sorted(by: { $0.key < $1.key }) { parts += ["connectTo", from, to] }
        return TransferTrust(
            isVerified: tls.verify != false, detour: parts.isEmpty ? nil : RequestOptions.digest(parts))
    }

    /// 16 hexadecimal digits; zeros for nothing.
    private static func digest(_ parts: [String]) -> String {
        if parts.isEmpty { return "0000000000000000" }
        // No value contains NUL.
        return String(Bytes(parts.joined(separator: "\0")).sha256.prefix(16))
    }

    /// These options with absolute paths, to be stored, because another process may have another working directory.
    public var withAbsolutePaths: RequestOptions {
        var options = self
        options.unixSocket = unixSocket.map(RequestOptions.absolutePath)
        options.tls.ca = tls.ca.map(RequestOptions.absolutePath)
        options.tls.certificate = tls.certificate.map(RequestOptions.absolutePath)
        options.tls.key = tls.key.map(RequestOptions.absolutePath)
        return options
    }

    private static func absolutePath(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }
}

/// Whether the servers of a transfer are verified, and a digest of the options of a detour to other servers.
package struct TransferTrust: Sendable, Equatable {
    package var isVerified: Bool
    package var detour: String?

    package init(isVerified: Bool = true, detour: String? = nil) {
        (self.isVerified, self.detour) = (isVerified, detour)
    }
}
