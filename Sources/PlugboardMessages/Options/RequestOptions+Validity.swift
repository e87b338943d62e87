extension RequestOptions {
    /// The error `request.option` for the first invalid option, or nil if all are valid.
    ///
    /// Its reason says what to write, and quotes no values, because a proxy's URL may hold a password.
    public var error: PlugboardError? {
        invalidOptions.first.map { option in
            let key = option.key.map { "[\"\(Printable.text($0))\"]" } ?? ""
            return PlugboardError(.requestOption, "The request's option \(option.option)\(key) \(option.reason).")
        }
    }

    /// An option whose value cannot be used.
    package struct InvalidOption: Sendable, Equatable {
        /// The property's name, such as `timeout` or `tls.ca`.
        package let option: String
        /// The key of the invalid entry of `connectTo`; nil for other options.
        package var key: String?
        /// The end of a sentence that begins with the option's name.
        package let reason: String
    }

    /// All invalid options, in the order of the properties.
    package var invalidOptions: [InvalidOption] {
        var found: [InvalidOption] = []
        func note(_ option: String, key: String? = nil, _ reason: String?) {
            if let reason { found.append(InvalidOption(option: option, key: key, reason: reason)) }
        }
        note("timeout", RequestOptions.refusal(ofTime: timeout))
        note("connectTimeout", RequestOptions.refusal(ofTime: connectTimeout))
        note("idleTimeout", RequestOptions.refusal(ofTime: idleTimeout))
        note("attemptTimeout", RequestOptions.refusal(ofTime: attemptTimeout))
        for (host, target) in (connectTo ?? [:]).sorted(by: { $0.key < $1.key })
        where !ConnectToTable.isEntry(host, target) {
            note(
                "connectTo", key: host,
                "must be host:port for host:port, such as \"example.com:443\": \"127.0.0.1:8443\"")
        }
        if let proxy, !RequestOptions.isProxy(proxy) { note("proxy", "must be \(RequestOptions.proxyForm)") }
        for (option, text) in [
            ("interface", interface), ("tls.ca", tls.ca),
            ("tls.certificate", tls.certificate), ("tls.key", tls.key), ("tls.keyPassword", tls.keyPassword),
        ] {
            if text?.utf8.contains(where: isControl) == true { note(option, "must not hold control characters") }
        }
        if let noProxy, !ProxyBypass(noProxy).isValid {
            note(
                "noProxy",
                "must be hosts, addresses or networks, such as \"example.com, ::1, 10.0.0.0/8\", or *")
        }
        if let unixSocket,
            !(1...RequestOptions.longestUnixSocket).contains(unixSocket.utf8.count)
                || unixSocket.utf8.contains(0)
        {
            note("unixSocket", "must be the path of a socket, of at most \(RequestOptions.longestUnixSocket) bytes")
        }
        if let target, target.isEmpty || !target.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }) {
            note("target", "must be a text of visible ASCII characters without blanks")
        }
        if let pins = tls.pins, pins.isEmpty || !pins.allSatisfy({ RequestOptions.isPin($0) }) {
            note("tls.pins", "must be a list of \(RequestOptions.pinForm)")
        }
        return found
    }

    private static func refusal(ofTime time: Duration?) -> String? {
        guard let time, time < .zero else { return nil }
        return "must not be negative; omit it to use the kernel's value"
    }

    // MARK: Forms

    /// The longest path of a socket, in bytes: what fits in `sun_path` (unix(7)) with its NUL.
    package static let longestUnixSocket = 107

    /// The schemes that a proxy's URL may have, in lower case.
    package static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// The form of a proxy, to print after "must be".
    package static let proxyForm =
        "a URL like http://host:port (\(proxySchemes.joined(separator: ", "))), or empty for none"

    /// The form of a pin, to print after "must be".
    package static let pinForm = "sha256// and the 44 characters of base64 that stand for 32 bytes"

    /// Whether a text is the URL of a proxy, or empty.
    package static func isProxy(_ text: String) -> Bool {
        if text.isEmpty { return true }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
        guard let parts = URLParts(text), let scheme = parts.scheme, proxySchemes.contains(scheme.lowercased()) else {
            return false
        }
        return parts.host?.isEmpty == false && parts.withPort { Origin.port($0) != nil } ?? true
    }

    /// Whether a text is `host:port`, with a valid host and a port from 1 to 65535.
    package static func isHostAndPort(_ text: String) -> Bool {
        guard let parts = URLParts("http://\(text)"), parts.port != nil else { return false }
        return Origin("http://\(text)") != nil
    }

    /// Whether a text is `sha256//` and the base64 of a SHA-256 digest (RFC 4648 §4, with padding and with zero pad
    /// bits).
    package static func isPin(_ text: some StringProtocol) -> Bool {
        let digest = Array(text.utf8.dropFirst(8))
        guard text.utf8.starts(with: "sha256//".utf8), digest.count == 44, digest[43] == UInt8(ascii: "=") else {
            return false
        }
        // The last digit holds four bits of the 32 bytes; its other two bits must be 0.
        return digest[..<42].allSatisfy(isBase64) && "AEIMQUYcgkosw048".utf8.contains(digest[42])
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}

private func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
