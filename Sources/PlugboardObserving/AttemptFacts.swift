import PlugboardKit

/// What OpenTelemetry's stable conventions for HTTP clients tell of one attempt (semantic conventions 1.44, http-spans
/// and http-metrics).
public struct AttemptFacts: Sendable {
    /// The value of an attribute.
    public enum Value: Sendable, Equatable {
        /// A text.
        case text(String)
        /// A number.
        case integer(Int)
    }

    /// The conventions' list, the most frequent first; other methods are `_OTHER`.
    ///
    /// An array, because comparing a text with the first ones takes less time than its hash.
    private static let knownMethods = [
        "GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "QUERY", "CONNECT", "TRACE",
    ]

    /// The method as it is sent.
    public let method: String
    /// The URL without secrets; nil if only `attributes(url:)` gets it.
    public let url: String?
    /// The origin of the URL.
    public let origin: Origin?
    /// `url.template`, where the program gives one.
    public let template: String?
    /// How often the exchange was sent before.
    public let resends: Int
    /// The response's status; nil before there is a response.
    public var status: Int?
    /// `1.1`, `2` or `3`; nil before there is a response.
    public var version: String?
    /// The peer's address; nil until the attempt has ended.
    public var address: String?
    /// The peer's port; nil until the attempt has ended.
    public var port: Int?
    /// The code of the failure; nil without one.
    public var failure: String?

    /// An attempt that begins.
    ///
    /// - Parameter url: The URL without secrets.
    public init(method: String, url: String, template: String? = nil, resends: Int = 0) {
        (self.method, self.template, self.resends) = (method, template, resends)
        self.url = url
        origin = Origin(url: url)
    }

    /// An attempt that begins, to an origin that is known, for `attributes(url:)`.
    public init(method: String, origin: Origin?, template: String? = nil, resends: Int = 0) {
        (self.method, self.origin, self.template, self.resends) = (method, origin, template, resends)
        url = nil
    }

    /// `http.request.method`.
    public var knownMethod: String { AttemptFacts.knownMethod(method) }

    /// The value of `http.request.method` for a method.
    public static func knownMethod(_ method: String) -> String { knownMethods.contains(method) ? method : "_OTHER" }

    /// `error.type`: the code of the failure, or a status from 400 on.
    public var errorType: String? { failure ?? status.flatMap { $0 >= 400 ? "\($0)" : nil } }

    /// The span's name.
    public var name: String {
        let method = AttemptFacts.knownMethods.contains(method) ? method : "HTTP"
        return template.map { "\(method) \($0)" } ?? method
    }

    /// Takes what the kernel's event `attemptEnded` tells.
    public mutating func end(address: String?, port: Int?, code: String?) {
        (self.address, self.port) = (address, port)
        failure = failure ?? code
    }

    /// The attributes of the attempt's span.
    public var attributes: [(name: String, value: Value)] { attributes(url: url) }

    /// The attributes of the attempt's span.
    ///
    /// - Parameter url: `url.full`, as it may be shown; nil for none.
    public func attributes(url: String?) -> [(name: String, value: Value)] {
        var list: [(name: String, value: Value)] = [("http.request.method", .text(knownMethod))]
        func add(_ name: String, _ text: String?) { if let text { list.append((name, .text(text))) } }
        func add(_ name: String, _ number: Int?) { if let number { list.append((name, .integer(number))) } }
        if knownMethod != method { add("http.request.method_original", method) }
        add("url.full", url)
        add("url.template", template)
        add("server.address", origin?.address)
        add("server.port", origin.map { Int($0.port) })
        add("http.response.status_code", status)
        add("error.type", errorType)
        if resends > 0 { add("http.request.resend_count", resends) }
        add("network.protocol.version", version)
        add("network.peer.address", address)
        add("network.peer.port", port)
        return list
    }
}

extension Origin {
    /// The host; an IPv6 address without its brackets.
    public var address: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
}
