#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Stands for the route by which a request is sent, and for the trust in who responds: all options that decide on them,
/// of the request and of the configuration.
///
/// What is stored or shared of one request is used only for requests with an equal route, and is not stored if the
/// route is not verified. It does not depend on the machine's own network: its name look-up, its routing table, and the
/// proxies of its environment.
public struct Route: Sendable, Hashable {
    /// Empty without such options; otherwise 32 hexadecimal digits, which mean the same in other processes.
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

    /// 16 digits that stand for the Unix socket or for the target of `connectTo`, and for nothing else; nil if neither
    /// is used. Cookies, for example, belong to the server that the URL names by all routes without a detour.
    public var detour: String? { isDetour ? String(text.prefix(16)) : nil }
}

extension RequestOptions {
    /// Whether any option is set that a route depends on.
    package var haveRoute: Bool {
        proxy != nil || noProxy != nil || connectTo != nil || interface != nil || unixSocket != nil || tls.ca != nil
            || tls.pins != nil || tls.certificate != nil || tls.key != nil || tls.verify != nil
    }

    /// The second half of a route's text, which stands for all options: a sub-request takes them to other hosts. Nil if
    /// none is set.
    package var routeDigest: String? {
        var parts: [String] = []
        func add(_ name: String, _ value: String?) { if let value { parts += [name, value] } }
        add("unixSocket", unixSocket.map(RequestOptions.absolutePath))
        add("proxy", proxy)
        add("noProxy", noProxy)
        for (from, to) in (connectTo ?? [:]).sorted(by: { $0.key < $1.key }) { parts += ["connectTo", from, to] }
        add("interface", interface)
        if tls.verify == false { parts += ["tls.verify", "false"] }
        add("tls.ca", tls.ca.map(RequestOptions.absolutePath))
        for pin in (tls.pins ?? []).sorted() { parts += ["tls.pins", pin] }
        add("tls.certificate", tls.certificate.map(RequestOptions.absolutePath))
        add("tls.key", tls.key.map(RequestOptions.absolutePath))
        return parts.isEmpty ? nil : RequestOptions.digest(parts)
    }

    /// The route that these options give.
    ///
    /// - Parameters:
    ///   - isTLS: Whether the URL's scheme is https.
    ///   - target: Where `connectTo` leads for the URL.
    ///   - digest: `routeDigest`.
    package func route(isTLS: Bool, connectingTo target: String?, digest: String?) -> Route {
        guard let digest else { return .direct }
        let detour: String? =
            if let unixSocket {
                RequestOptions.digest(["unixSocket", RequestOptions.absolutePath(unixSocket)])
            } else if let target {
                RequestOptions.digest(["connectTo", target])
            } else {
                nil
            }
        let isSecure = isTLS || unixSocket == nil && proxy?.lowercased().hasPrefix("https:") == true
        return Route(
            text: (detour ?? "0000000000000000") + digest, isVerified: !isSecure || tls.verify != false,
            isDetour: detour != nil)
    }

    /// What journals of transfers keep of these options. A transfer is continued only with the same: bytes that anybody
    /// may have sent are not continued where servers are verified, nor by a detour to another server. A transfer may be
    /// redirected to any host, so that all entries of `connectTo` count.
    package var transferTrust: TransferTrust {
        var parts = unixSocket.map { ["unixSocket", RequestOptions.absolutePath($0)] } ?? []
        for (from, to) in (connectTo ?? [:]).sorted(by: { $0.key < $1.key }) { parts += ["connectTo", from, to] }
        return TransferTrust(
            isVerified: tls.verify != false, detour: parts.isEmpty ? nil : RequestOptions.digest(parts))
    }

    private static func digest(_ parts: [String]) -> String {
        // No value contains NUL.
        String(Bytes(parts.joined(separator: "\0")).sha256.prefix(16))
    }

    /// The same options with absolute paths, to be stored: another process may have another working directory.
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

/// Whether the servers of a transfer are verified, and the digest of what leads to others than its URLs name.
package struct TransferTrust: Sendable, Equatable {
    package var isVerified: Bool
    package var detour: String?

    package init(isVerified: Bool = true, detour: String? = nil) {
        (self.isVerified, self.detour) = (isVerified, detour)
    }
}
