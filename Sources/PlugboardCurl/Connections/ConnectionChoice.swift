import CPlugboardCurl
import PlugboardTransport

/// Which connections an attempt may use.
struct ConnectionChoice {
    /// The connection is used for this transfer only.
    let isAlone: Bool
    /// The attempt must open a new connection.
    let isFresh: Bool
    /// The attempt does not share connections with attempts that may use HTTP/2.
    let isApart: Bool
    /// The value of CURLOPT_HTTP_VERSION.
    let version: Int
    /// Whether HTTP/1.1 was chosen because this libcurl cannot send the body over HTTP/2.
    let isDowngraded: Bool
    /// Whether the connection may be HTTP/2.
    let mayBeHTTP2: Bool
    /// Whether the connection is HTTP/2 from its first byte (RFC 9113 §3.3).
    var isHTTP2Known: Bool { version == ConnectionChoice.number(.http2PriorKnowledge) }
    /// The whole body is sent, even after the server has responded with an error.
    let sendsOnAfterErrors: Bool
    /// Whether the transfer may share a connection with other transfers at the same time.
    let mayMultiplex: Bool

    init(
        _ attempt: borrowing AttemptRequest, _ url: URLHandle, _ body: borrowing RequestBody,
        _ abilities: borrowing CurlAbilities, avoidsHTTP2: Bool, avoidsKept: Bool = false
    ) {
        // Reads single options, because a copy of all of them costs more.
        let stored = attempt.storedOptions
        var wanted = stored.options.httpVersion ?? .any
        // HTTP/2 is negotiated in the TLS handshake.
        if !url.isSecure, wanted == .any { wanted = .http1 }
        if avoidsHTTP2, wanted == .any { wanted = .http1 }
        var isAlone = false
        let isLong = body.source != nil && body.length ?? .max > CurlAbilities.shortBody
        isDowngraded = isLong && !abilities.sendsLongBodiesOverHTTP2 && wanted == .any
        if isLong, !abilities.sendsLongBodiesOverHTTP2 {
            if wanted == .any { wanted = .http1 } else if !wanted.isHTTP1 { isAlone = true }
        }
        let isClearHTTP2 = !url.isSecure && (wanted == .http2PriorKnowledge || wanted == .http2)
        if isClearHTTP2, !abilities.reusesClearHTTP2 { isAlone = true }
        // libcurl does not compare these two options when it chooses a connection. The kernel's options are the same
        // for all attempts.
        if attempt.optionsIdentity != 0, stored.options.ipVersion ?? .any != .any || stored.options.interface != nil {
            isAlone = true
        }
        self.isAlone = isAlone
        isApart = url.isSecure && (wanted.isHTTP1 || isAlone) && !abilities.keepsVersionsApart
        isFresh = isAlone || avoidsKept || attempt.usesFreshConnection
        version = ConnectionChoice.number(wanted)
        mayBeHTTP2 = isClearHTTP2 || url.isSecure && !wanted.isHTTP1
        mayMultiplex = mayBeHTTP2 && !isFresh
        sendsOnAfterErrors = mayBeHTTP2 && body.source != nil && !abilities.sendsLongBodiesOverHTTP2
    }

    private static func number(_ version: RequestOptions.HTTPVersion) -> Int {
        switch version {
        case .any: Int(CURL_HTTP_VERSION_2TLS)
        case .http10: Int(CURL_HTTP_VERSION_1_0)
        case .http1: Int(CURL_HTTP_VERSION_1_1)
        case .http2: Int(CURL_HTTP_VERSION_2_0)
        case .http2PriorKnowledge: Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
        }
    }
}

extension RequestOptions.HTTPVersion {
    fileprivate var isHTTP1: Bool { self == .http10 || self == .http1 }
}
