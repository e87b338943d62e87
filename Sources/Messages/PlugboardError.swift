/// The one error that Plugboard throws.
///
///     cancelled                            the caller's wish
///     timeout                              ├ timeout.connect  timeout.idle  timeout.attempt  timeout.exchange
///     transport                            ├ dns  connect  tls (tls.certificate)  proxy  reset  stale  unprocessed  protocol
///     body                                 ├ body.cut  body.limit  body.decode  body.rewind
///     request                              ├ request.url  request.field  request.option
///     redirect                             ├ redirect.limit  redirect.refused
///     runaway                              more attempts than `attemptLimit`
///     plugin                               ├ plugin.fault (it broke the ABI's rules)  plugin.failed (it said so)
///                                          └ plugin.disabled (it was switched off)
///     configuration                        what is configured cannot be
///     plugins                              ├ loading.… (one code a refusal)  plugins.order  plugins.start
///     ignored  queued                      verdicts of plugins that are neither success nor failure
///     resources                            the system gives no file descriptor or no thread
///     shutDown                             the kernel is closing
///
/// Codes are text, so that plugins can have their own (`cache.damaged`); the part before the dot is the kind.
/// The reason says what, where and what to do; it never holds header values, bodies or query strings.
public struct PlugboardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong, for programs: one of a bounded set of names.
    public struct Code: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
        public let name: String

        public init(_ name: String) { self.name = name }
        public init(stringLiteral name: String) { self.name = name }

        public var description: String { name }

        /// The part before the first dot: `timeout` of `timeout.idle`.
        public var kind: Substring { name.prefix { $0 != "." } }
    }

    public var code: Code
    /// What, where and what to do, in a sentence for people.
    public var reason: String
    /// The id of the plugin that failed the exchange, if one did.
    public var plugin: String?
    /// The attempt that was under way, counted from 1, if one was.
    public var attempt: Int?
    /// The error of a lower layer in its own words, such as libcurl's.
    public var underlying: String?

    public init(
        _ code: Code, _ reason: String, plugin: String? = nil, attempt: Int? = nil, underlying: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.plugin = plugin
        self.attempt = attempt
        self.underlying = underlying
    }

    /// The same text as `description`, for programs that import Foundation and ask each error for this.
    ///
    /// Known only where the error's type is: `catch` of a typed throw. Of an `any Error`, Foundation has a text of its
    /// own, unless the program imports the module PlugboardFoundation.
    public var localizedDescription: String { description }

    public var description: String {
        var text = reason
        if let underlying, !underlying.isEmpty { text += " (\(underlying))" }
        if let plugin { text += " [plugin \(plugin)]" }
        return "\(code): \(text)"
    }
}

extension PlugboardError.Code {
    public static let cancelled: Self = "cancelled"
    public static let connectTimeout: Self = "timeout.connect"
    public static let idleTimeout: Self = "timeout.idle"
    public static let attemptTimeout: Self = "timeout.attempt"
    public static let exchangeTimeout: Self = "timeout.exchange"
    public static let dns: Self = "transport.dns"
    public static let connect: Self = "transport.connect"
    public static let tls: Self = "transport.tls"
    /// The server's certificate is not to be trusted.
    public static let tlsCertificate: Self = "transport.tls.certificate"
    public static let proxy: Self = "transport.proxy"
    /// The connection ended before an answer's head was there.
    public static let reset: Self = "transport.reset"
    /// A connection that was kept from an earlier request was closed before a response began; the request may have been
    /// carried out. The kernel has sent an idempotent request again before anybody gets this (RFC 9112 §9.3.1).
    public static let stale: Self = "transport.stale"
    /// The server did not act on the request, whatever its method (RFC 9113 §8.7), or no byte of it was sent.
    public static let unprocessed: Self = "transport.unprocessed"
    public static let malformed: Self = "transport.protocol"
    /// The body ended before its length was reached or its last chunk came (RFC 9112 §8).
    public static let bodyCut: Self = "body.cut"
    public static let bodyLimit: Self = "body.limit"
    public static let bodyDecode: Self = "body.decode"
    /// A body that has begun cannot begin again.
    public static let bodyRewind: Self = "body.rewind"
    public static let bodyRead: Self = "body.read"
    public static let invalidURL: Self = "request.url"
    public static let invalidField: Self = "request.field"
    public static let invalidOption: Self = "request.option"
    public static let runaway: Self = "runaway"
    public static let pluginFault: Self = "plugin.fault"
    public static let pluginFailed: Self = "plugin.failed"
    /// The plugin was switched off because of its faults (`onFault: disable`).
    public static let pluginDisabled: Self = "plugin.disabled"
    public static let configuration: Self = "configuration"
    public static let pluginOrder: Self = "plugins.order"
    public static let pluginStart: Self = "plugins.start"
    public static let ignored: Self = "ignored"
    public static let queued: Self = "queued"
    /// The system gives no file descriptor or no thread.
    public static let resources: Self = "resources"
    public static let shutDown: Self = "shutDown"
}
