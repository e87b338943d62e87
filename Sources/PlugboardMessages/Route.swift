#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Stands for the route by which a request is sent, and for the trust in who responds: which options decide on them,
/// and how.
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

    /// The text of a detour, for what belongs to the server that the URL names by every other route: cookies, partial
    /// files, uploads that continue, requests that are sent later. Nil without a detour.
    public var detour: String? { isDetour ? text : nil }

    /// What a journal keeps of the route by which its bytes came or went.
    package var mark: Mark { Mark(isVerified: isVerified, detour: detour) }

    /// Bytes on disk are continued only by a route with the same mark: over a verified connection nothing is continued
    /// that anybody may have sent, and no other server gets or sends the rest.
    package struct Mark: Sendable, Equatable {
        package var isVerified = true
        package var detour: String?

        package init(isVerified: Bool = true, detour: String? = nil) {
            (self.isVerified, self.detour) = (isVerified, detour)
        }
    }
}

extension RequestOptions {
    /// Whether any option is set that a route depends on.
    package var haveRoute: Bool {
        proxy != nil || noProxy != nil || connectTo != nil || interface != nil || unixSocket != nil || tls.ca != nil
            || tls.pins != nil || tls.certificate != nil || tls.key != nil || tls.verify != nil
    }

    /// The route that these options give to requests for a URL.
    package func route(to url: String) -> Route {
        let target = connectTo.flatMap { $0.isEmpty ? nil : ConnectToTable($0)?.target(of: url) }
        return route(isTLS: Origin(url: url)?.scheme == "https", connectingTo: target)
    }

    /// The same, with the target that `connectTo` has for the URL.
    ///
    /// - Parameter isTLS: Whether the URL's scheme is https. Over http, the options of TLS matter only to a proxy that
    ///   is reached over TLS.
    package func route(isTLS: Bool, connectingTo target: String?) -> Route {
        var parts: [String] = []
        func add(_ name: String, _ value: String?) { if let value { parts += [name, value] } }
        if let unixSocket {
            add("unixSocket", RequestOptions.absolutePath(unixSocket))
        } else {
            add("proxy", proxy)
            add("noProxy", noProxy)
            add("connectTo", target)
            add("interface", interface)
        }
        var isVerified = true
        if isTLS || unixSocket == nil && proxy?.lowercased().hasPrefix("https:") == true {
            isVerified = tls.verify != false
            if !isVerified { add("tls.verify", "false") }
            add("tls.ca", tls.ca.map(RequestOptions.absolutePath))
            for pin in (tls.pins ?? []).sorted() { add("tls.pins", pin) }
            add("tls.certificate", tls.certificate.map(RequestOptions.absolutePath))
            add("tls.key", tls.key.map(RequestOptions.absolutePath))
        }
        if parts.isEmpty { return .direct }
        // No value contains NUL.
        let text = String(Bytes(parts.joined(separator: "\0")).sha256.prefix(32))
        return Route(text: text, isVerified: isVerified, isDetour: unixSocket != nil || target != nil)
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
