import CPlugboardCurl
import PlugboardCurl

extension CurlOption {
    /// All options of curl, and two of Plugboard's.
    static let all: [CurlOption] =
        own + flags(.passed, passedFlags) + values(.passed, passedValues) + flags(.kept, keptFlags)
        + values(.kept, keptValues) + flags(.placed, placedFlags) + values(.placed, placedValues)
        + flags(.accepted, acceptedFlags) + values(.accepted, acceptedValues)
        + flags(.refusedWithTLS, flagsOfTLS) + values(.refusedWithTLS, valuesOfTLS)
        + flags(.refusedWithProxy, flagsOfProxies) + values(.refusedWithProxy, valuesOfProxies)
        + refused.flatMap { reason, flagNames, valueNames in
            flags(.refused(reason), flagNames) + values(.refused(reason), valueNames)
        }

    private static func flags(_ effect: Effect, _ names: [String]) -> [CurlOption] {
        names.map { CurlOption($0, takesValue: false, effect) }
    }

    private static func values(_ effect: Effect, _ names: [String]) -> [CurlOption] {
        names.map { CurlOption($0, takesValue: true, effect) }
    }

    private static let passedFlags = [
        "compressed", "http1.0 0", "http1.1", "http2", "http2-prior-knowledge", "insecure k", "ipv4 4", "ipv6 6",
        "tlsv1.2",
        "tlsv1.3", "verbose v",
    ]
    private static let passedValues = [
        "cacert", "cert E", "cert-type", "connect-to", "connect-timeout", "cookie b", "cookie-jar c", "form F",
        "form-string", "interface", "key", "key-type", "noproxy", "pass", "pinnedpubkey", "proxy x", "proxy-user U",
        "request-target",
        "resolve", "socks4", "socks4a", "socks5", "socks5-hostname", "unix-socket",
    ]

    private static let keptFlags = [
        "alpn", "anyauth", "clobber", "create-dirs", "disallow-username-in-url", "fail f",
        "fail-early", "fail-with-body", "get G", "globoff g", "head I", "include i", "location L", "location-trusted",
        "netrc n", "netrc-optional", "path-as-is", "post301", "post302",
        "post303", "progress-meter", "proxytunnel p", "raw", "remote-header-name J",
        "remote-name-all", "remote-time R", "remove-on-error", "retry-all-errors", "retry-connrefused", "show-error S",
        "silent s",
    ]
    private static let keptValues = [
        "continue-at C", "create-file-mode", "dump-header D", "etag-compare", "etag-save",
        "limit-rate", "max-filesize", "max-redirs", "max-time m", "netrc-file", "oauth2-bearer",
        "output-dir", "proto", "proto-default", "proto-redir", "range r",
        "referer e", "request X", "retry", "retry-delay", "retry-max-time", "speed-limit Y", "speed-time y", "stderr",
        "time-cond z", "tls-max", "trace", "trace-ascii",
        "user u", "user-agent A", "write-out w",
    ]

    /// Options that curl does not have.
    private static let own = flags(.passed, ["show-secrets"]) + values(.kept, ["print-definition"])

    private static let placedFlags = ["disable q", "help h", "next :", "remote-name O", "version V"]
    private static let placedValues = [
        "config K", "data d", "data-ascii", "data-binary", "data-raw", "data-urlencode", "header H", "json",
        "output o", "upload-file T", "url", "url-query",
    ]

    /// A field of HTTP/1 is written at once, connections are kept alive, errors are shown, and so on, in any case.
    private static let acceptedFlags = [
        "basic", "buffer N", "false-start", "keepalive", "metalink", "npn", "parallel Z",
        "parallel-immediate", "progress-bar #", "proxy-basic",
        "sessionid", "socks5-basic", "ssl-allow-beast", "ssl-auto-client-cert", "ssl-no-revoke",
        "ssl-revoke-best-effort", "styled-output", "suppress-connect-headers", "tcp-fastopen", "tcp-nodelay",
        "tlsv1 1", "tlsv1.0", "tlsv1.1", "trace-time", "use-ascii B",
    ]
    private static let acceptedValues = [
        "egd-file", "expect100-timeout", "happy-eyeballs-timeout-ms", "keepalive-time", "parallel-max", "random-file",
    ]

    private static let flagsOfTLS = ["cert-status", "sslv2 2", "sslv3 3"]
    private static let valuesOfTLS = [
        "capath", "ciphers", "crlfile", "curves", "engine", "tls13-ciphers", "tlsauthtype", "tlspassword",
        "tlsuser",
    ]
    private static let flagsOfProxies = [
        "proxy-anyauth", "proxy-digest", "proxy-insecure", "proxy-negotiate", "proxy-ntlm",
        "proxy-ssl-allow-beast", "proxy-ssl-auto-client-cert", "proxy-tlsv1", "socks5-gssapi", "socks5-gssapi-nec",
    ]
    private static let valuesOfProxies = [
        "proxy-cacert", "proxy-capath", "proxy-cert", "proxy-cert-type", "proxy-ciphers", "proxy-crlfile",
        "proxy-header", "proxy-key", "proxy-key-type", "proxy-pass", "proxy-pinnedpubkey", "proxy-service-name",
        "proxy-tls13-ciphers", "proxy-tlsauthtype", "proxy-tlspassword", "proxy-tlsuser",
        "socks5-gssapi-service",
    ]

    private static var libcurl: String { CurlAbilities.current.version }
    private static var hasHTTP3: Bool {
        ccurl_version().map { $0.pointee.features & Int32(CURL_VERSION_HTTP3) != 0 } ?? false
    }

    private static let refused: [(reason: String, flags: [String], values: [String])] = [
        (
            "It is for FTP, TFTP and telnet, and Plugboard sends HTTP.",
            [
                "append a", "crlf", "disable-eprt", "disable-epsv", "ftp-create-dirs", "ftp-pasv", "ftp-pret",
                "ftp-skip-pasv-ip", "ftp-ssl-ccc", "ftp-ssl-control", "list-only l", "ssl", "ssl-reqd",
                "tftp-no-options",
            ],
            [
                "ftp-account", "ftp-alternative-to-user", "ftp-method", "ftp-port P", "ftp-ssl-ccc-mode", "quote Q",
                "telnet-option t", "tftp-blksize",
            ]
        ),
        (
            "It is for mail, and Plugboard sends HTTP.", ["mail-rcpt-allowfails", "sasl-ir"],
            ["login-options", "mail-auth", "mail-from", "mail-rcpt", "sasl-authzid"]
        ),
        (
            "It is for SSH, and Plugboard sends HTTP.", ["compressed-ssh"],
            ["hostpubmd5", "hostpubsha256", "pubkey"]
        ),
        (
            "Plugboard authenticates by basic and bearer alone.", ["digest", "negotiate", "ntlm", "ntlm-wb"],
            ["delegation", "krb", "service-name"]
        ),
        ("Plugboard signs no requests for AWS.", [], ["aws-sigv4"]),
        (
            "Plugboard looks names up with the system's resolver alone; --resolve names an address.",
            ["doh-cert-status", "doh-insecure"],
            ["dns-interface", "dns-ipv4-addr", "dns-ipv6-addr", "dns-servers", "doh-url"]
        ),
        ("Plugboard sends no header of the PROXY protocol.", ["haproxy-protocol"], []),
        ("Plugboard sends through one proxy, with HTTP/1.1 or SOCKS: --proxy names it.", [], ["preproxy", "proxy1.0"]),
        ("Plugboard keeps no such file.", [], ["alt-svc", "hsts", "libcurl"]),
        (
            "Plugboard sends no HTTP/3\(hasHTTP3 ? "" : ", and the libcurl that is installed, \(libcurl), does not support it").",
            ["http3", "http3-only"], []
        ),
        ("Plugboard reads no responses of HTTP/0.9.", ["http0.9"], []),
        (
            "Plugboard has nothing like it.",
            ["form-escape", "ignore-content-length", "junk-session-cookies j", "manual M", "tr-encoding", "xattr"],
            ["abstract-unix-socket", "local-port", "rate"]
        ),
    ]
}
