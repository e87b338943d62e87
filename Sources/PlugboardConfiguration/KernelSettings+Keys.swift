import PlugboardBorder
import PlugboardCore
import PlugboardJSON

extension KernelSettings {
    /// The `kernel` section of a configuration.
    static let keys: [ConfigurationKey<KernelSettings>] =
        requestKeys + timeoutKeys + limitKeys + networkKeys + fileKeys + [
            ConfigurationKey("tls", "TLS: trusted certificates, pins, and the client's certificate.", members: tlsKeys),
            ConfigurationKey("speed", "Limits of each exchange.", members: speedKeys),
        ]

    private static let requestKeys: [ConfigurationKey<KernelSettings>] = [
        ConfigurationKey(
            "baseURL",
            "The URL where relative URLs of the program's requests begin (RFC 3986 §5), such as https://host/v1/.",
            .word("an absolute URL of http or https, without a user") { KernelSettings.isBaseURL($0) }, \.baseURL),
        ConfigurationKey(
            "headers", "Header fields that are added to requests of the program that do not have them.",
            .map(
                "the name of a header field that requests can have",
                key: { KernelSettings.isHeaderName($0) ? $0 : nil }, .headerValue),
            \.headers),
        ConfigurationKey(
            "secretFields",
            "Names of header fields that are secret too: not printed, not stored, and not sent to another origin.",
            .list(.word("the name of a header field") { $0.utf8.allSatisfy(FieldName.isTokenByte) }), \.secretFields),
    ]

    private static let timeoutKeys: [ConfigurationKey<KernelSettings>] = [
        ConfigurationKey(
            "timeout", "The longest an exchange may take, redirects, retries and the body's end included.",
            .timeout.by(default: "0s"), \.defaults.timeout),
        ConfigurationKey(
            "connectTimeout", "The longest that name look-up, connection and TLS of one attempt may take.",
            .timeout.by(default: "30s"), \.defaults.connectTimeout),
        ConfigurationKey(
            "idleTimeout", "The longest time without a byte in either direction while one is awaited.",
            .timeout.by(default: "60s"), \.defaults.idleTimeout),
        ConfigurationKey(
            "attemptTimeout", "The longest that one attempt may take, its body included.",
            .timeout.by(default: "0s"), \.defaults.attemptTimeout),
    ]

    private static let limitKeys: [ConfigurationKey<KernelSettings>] = [
        ConfigurationKey(
            "loops",
            "Event loops, each on a thread of its own, that share the exchanges: 1 to 64, or automatic for one for each core.",
            .loops, \.loops),
        ConfigurationKey(
            "connections", "Connections at a time; 0 for no limit.", .integer(in: 0...1_000_000).by(default: 0),
            \.connections),
        ConfigurationKey(
            "connectionsPerHost",
            "Connections at a time to one origin that does not respond in HTTP/2; 0 for no limit.",
            .integer(in: 0...1_000_000).by(default: 64), \.connectionsPerHost),
        ConfigurationKey(
            "idleConnections",
            "Idle connections that are kept for later requests; each loop has its share. More are kept where more exchanges ran at once.",
            .integer(in: 1...1_000_000).by(default: 256), \.idleConnections),
        ConfigurationKey(
            "attemptLimit", "The number of attempts and hops after which an exchange fails as a runaway.",
            .integer(in: 1...1_000_000).by(default: 50), \.attemptLimit),
        ConfigurationKey(
            "bufferLimit",
            "The most bytes of one body that wait in the transport; then the sender is slowed. As many again may wait for the program's reader.",
            .size(in: .kibibytes(16) ... .gibibytes(1)).by(default: "1MiB"), \.bufferLimit),
        ConfigurationKey(
            "hookTimeLimit",
            "A plugin that holds the loop for longer in one call is named in the log; 0s disables this.",
            .timeout.by(default: "1s"), \.hookTimeLimit),
        ConfigurationKey(
            "measureHooks",
            "Counts the calls of each plugin's hooks, and the time they take; plugins such as recorder are told of each.",
            .flag.by(default: false), \.measureHooks),
    ]

    private static let networkKeys: [ConfigurationKey<KernelSettings>] = [
        ConfigurationKey(
            "proxy",
            "The proxy, such as http://host:port or socks5://host:port; empty for no proxy, not even one of the environment.",
            .proxy, \.defaults.proxy),
        ConfigurationKey(
            "noProxy",
            "Hosts that bypass the proxy: names with their subdomains, addresses, networks (10.0.0.0/8, fd00::/8), or *.",
            .text, \.defaults.noProxy),
        ConfigurationKey(
            "connectTo",
            "Connects to another host and port: the URL's host:port, of which * is any, then the other one. URL, Host and TLS name stay.",
            .map("host:port", key: { ConnectToTable.isEntry($0, "a:1") ? $0 : nil }, .location), \.defaults.connectTo),
        ConfigurationKey(
            "interface", "The name or address of the network interface to send from.",
            .word("the name or address of an interface") { _ in true }, \.defaults.interface),
        ConfigurationKey(
            "unixSocket",
            "The path of a Unix domain socket to connect to instead. URL, Host and TLS name stay, and no proxy is used.",
            .path, \.defaults.unixSocket),
        ConfigurationKey("ipVersion", "Which addresses to connect to.", .choice(), \.defaults.ipVersion),
        ConfigurationKey(
            "httpVersion", "Which version of HTTP to speak; any is HTTP/1.1, and HTTP/2 where TLS negotiates it.",
            .choice(), \.defaults.httpVersion),
    ]

    private static let fileKeys: [ConfigurationKey<KernelSettings>] = [
        ConfigurationKey("dataDirectory", "The folder under which each plugin has its own.", .path, \.dataDirectory),
        ConfigurationKey(
            "pluginFolders", "The only folders that plugins may be loaded from; empty: any folder.", .list(.path),
            \.pluginFolders),
        ConfigurationKey(
            "control",
            "A Unix domain socket over which this user can see and steer the running program: plugboard attach.",
            .path, \.control),
        ConfigurationKey(
            "logLevel", "The lowest level that is printed.",
            .choice([("debug", .debug), ("info", .info), ("warning", .warning), ("error", .error)])
                .by(default: "info"), \.logLevel),
    ]

    private static let speedKeys: [ConfigurationKey<KernelSettings>] = [
        ConfigurationKey(
            "download", "Bytes received a second; 0B for no limit.", .speed, \.defaults.speed.download),
        ConfigurationKey("upload", "Bytes sent a second; 0B for no limit.", .speed, \.defaults.speed.upload),
    ]

    private static let tlsKeys: [ConfigurationKey<KernelSettings>] = [
        ConfigurationKey(
            "verify", "False accepts any certificate: for tests only.", .flag.by(default: true),
            \.defaults.tls.verify),
        ConfigurationKey(
            "ca",
            "A PEM file with the only certificates that are trusted. It is read again after a minute at the latest.",
            .path, \.defaults.tls.ca),
        ConfigurationKey(
            "pins", "Public keys that the servers of a host may have, checked in addition to the certificate.",
            .map(
                "the name of a host in ASCII (xn--…), without scheme and port", key: { Origin.normalizedHost($0) },
                .pins), \.pins),
        ConfigurationKey(
            "certificate", "A PEM file with the client's certificate.", .path, \.defaults.tls.certificate),
        ConfigurationKey(
            "key", "A PEM file with the key of the client's certificate, if that file does not hold it.", .path,
            \.defaults.tls.key),
        ConfigurationKey("minimum", "The lowest version of TLS to speak.", .choice(), \.defaults.tls.minimum),
        ConfigurationKey(
            "closeNotify",
            "False accepts a body that ends with its connection even without close_notify (RFC 9112 §9.8).",
            .flag.by(default: true), \.closeNotify),
    ]
}

extension ConfigurationShape where Value == String {
    fileprivate static var proxy: Self {
        Self(RequestOptions.proxyForm, schema: ["type": "string"]) { value in
            value.stringValue.flatMap { RequestOptions.isProxy($0) ? $0 : nil }
        }
    }

    /// The value of a header field.
    fileprivate static var headerValue: Self {
        Self("a string without line breaks", schema: ["type": "string"]) { value in
            value.stringValue.flatMap { KernelSettings.isHeaderValue($0) ? $0 : nil }
        }
    }

    fileprivate static var location: Self { word("host:port") { ConnectToTable.isEntry("a:1", $0) } }

    fileprivate static var pin: Self { word(RequestOptions.pinForm) { RequestOptions.isPin($0) } }
}

extension ConfigurationShape where Value == LoopCount {
    fileprivate static var loops: Self {
        Self(
            LoopCount.wanted,
            schema: [
                "anyOf": [
                    ["type": "integer", "minimum": 1, "maximum": .number(JSONNumber(LoopCount.limit))],
                    ["type": "string", "enum": [.string(LoopCount.automaticWord)]],
                ]
            ]
        ) { value in
            if let word = value.stringValue { return word == LoopCount.automaticWord ? .automatic : nil }
            return value.numberValue?.integer(Int.self).flatMap {
                (1...LoopCount.limit).contains($0) ? LoopCount($0) : nil
            }
        }
    }
}

extension ConfigurationShape where Value == [String] {
    fileprivate static var pins: Self {
        let list = list(.pin)
        return Self(schema: list.schema) { node, reading in
            let pins = list.read(node, &reading)
            // An empty list would pin nothing while it looks as if it did.
            if node.value.arrayValue?.isEmpty == true { reading.note(node.path, "must hold at least one pin") }
            return pins
        }
    }
}
