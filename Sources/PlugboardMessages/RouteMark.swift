#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What identifies the route by which a request is sent and the trust in who responds.
///
/// Two requests have the same mark only if the same options of `RequestOptions` decide on both. It does not depend on
/// the machine's own network: its name look-up, its routing table, and the proxies of its environment.
package struct RouteMark: Sendable, Equatable {
    /// Empty if no option decides; else 32 hexadecimal digits.
    package var text = ""
    /// Whether the server's certificate is verified, if there is one.
    package var isVerified = true

    /// The mark of a request without such options.
    package init() {}
}

extension Request {
    /// Whether its own options leave the server's certificate verified, or it has none. The kernel's do not count.
    package var isVerified: Bool { options.tls.verify != false || Origin(url: url)?.scheme == "http" }
}

extension RequestOptions {
    /// Whether any option is set that a mark depends on.
    package var haveRoute: Bool {
        proxy != nil || noProxy != nil || connectTo != nil || interface != nil || unixSocket != nil || tls.ca != nil
            || tls.pins != nil || tls.certificate != nil || tls.key != nil || tls.verify != nil
    }

    /// The mark of the route that these options give.
    ///
    /// - Parameter isTLS: Whether the URL's scheme is https. Over http, the options of TLS matter only to a proxy that
    ///   is reached over TLS.
    package func routeMark(isTLS: Bool) -> RouteMark {
        var mark = RouteMark()
        var parts: [String] = []
        func add(_ name: String, _ value: String?) { if let value { parts += [name, value] } }
        if let unixSocket {
            add("unixSocket", RequestOptions.wholePath(unixSocket))
        } else {
            add("proxy", proxy)
            add("noProxy", noProxy)
            for (from, to) in (connectTo ?? [:]).sorted(by: { $0.key < $1.key }) { parts += ["connectTo", from, to] }
            add("interface", interface)
        }
        if isTLS || unixSocket == nil && proxy?.lowercased().hasPrefix("https:") == true {
            mark.isVerified = tls.verify != false
            if !mark.isVerified { add("tls.verify", "false") }
            add("tls.ca", tls.ca.map(RequestOptions.wholePath))
            for pin in (tls.pins ?? []).sorted() { add("tls.pins", pin) }
            add("tls.certificate", tls.certificate.map(RequestOptions.wholePath))
            add("tls.key", tls.key.map(RequestOptions.wholePath))
        }
        if parts.isEmpty { return mark }
        // No value contains NUL.
        mark.text = String(Bytes(parts.joined(separator: "\0")).sha256.prefix(32))
        return mark
    }

    /// A path from the root: processes with other working folders mean other files by the same path.
    private static func wholePath(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return "\(String(cString: folder))/\(path)"
    }
}
