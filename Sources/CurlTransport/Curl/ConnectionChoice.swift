import CCurl
import Transporting

/// Which connections an attempt may use.
struct ConnectionChoice {
    /// No other transfer uses its connection, before or after it.
    let isAlone: Bool
    /// It must not use a connection that exists.
    let isFresh: Bool
    /// It uses no connection that an attempt that may share one would find, and its own is not found by those.
    let isApart: Bool
    /// What CURLOPT_HTTP_VERSION is set to.
    let version: Int
    /// Whether its connection may turn out to be HTTP/2.
    let mayBeHTTP2: Bool
    /// The body is sent to its end also when the server has responded with an error.
    let sendsOnAfterErrors: Bool
    /// Whether it may share a connection with other transfers at the same time.
    let mayMultiplex: Bool

    init(
        _ attempt: AttemptRequest, _ url: ParsedURL, _ body: RequestBody, _ abilities: CurlAbilities,
        avoidsHTTP2: Bool
    ) {
        let options = attempt.storedOptions.options
        var wanted = options.httpVersion ?? .any
        // HTTP/2 is agreed on within TLS.
        if !url.isSecure, wanted == .any { wanted = .http1 }
        if avoidsHTTP2, wanted == .any { wanted = .http1 }
        var isAlone = false
        let isLong = body.source != nil && body.length ?? .max > CurlAbilities.shortBody
        if isLong, !abilities.sendsLongBodiesOverHTTP2 {
            if wanted == .any { wanted = .http1 } else if wanted != .http1 { isAlone = true }
        }
        let isClearHTTP2 = !url.isSecure && (wanted == .http2PriorKnowledge || wanted == .http2)
        if isClearHTTP2, !abilities.reusesClearHTTP2 { isAlone = true }
        // libcurl compares neither when it chooses. What all attempts have in common cannot be mixed up.
        if attempt.optionsIdentity != 0, options.ipVersion ?? .any != .any || options.interface != nil {
            isAlone = true
        }
        self.isAlone = isAlone
        isApart = url.isSecure && (wanted == .http1 || isAlone) && !abilities.keepsVersionsApart
        isFresh = isAlone || attempt.usesFreshConnection
        version = ConnectionChoice.number(wanted)
        mayBeHTTP2 = isClearHTTP2 || url.isSecure && wanted != .http1
        mayMultiplex = mayBeHTTP2 && !isFresh
        sendsOnAfterErrors = mayBeHTTP2 && body.source != nil && !abilities.sendsLongBodiesOverHTTP2
    }

    private static func number(_ version: RequestOptions.HTTPVersion) -> Int {
        switch version {
        case .any: Int(CURL_HTTP_VERSION_2TLS)
        case .http1: Int(CURL_HTTP_VERSION_1_1)
        case .http2: Int(CURL_HTTP_VERSION_2_0)
        case .http2PriorKnowledge: Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
        }
    }
}
