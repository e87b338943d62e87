import CPlugboardCurl
import PlugboardTransport

/// libcurl's handle of a URL, of which libcurl and `Origin` find the same origin. Transfers keep it while they use it.
///
/// Used on the loop's thread only.
final class URLHandle {
    /// The `CURLU`.
    let handle: OpaquePointer
    let isSecure: Bool
    let origin: Origin
    /// `host:port`, the only part of a URL that errors quote.
    let hostAndPort: String

    init(_ text: String) throws(PlugboardError) {
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw URLHandle.error("has a control character") }
        guard let handle = curl_url() else { throw URLHandle.error("cannot be parsed for lack of memory") }
        let flags = UInt32(CURLU_PATH_AS_IS | CURLU_URLENCODE)
        let parts = URLParts(text)
        // libcurl would send a plus sign for a space in the query, and escapes with digits in lower case.
        let code = curl_url_set(handle, CURLUPART_URL, parts?.escapedText ?? text, flags)
        let scheme = URLHandle.part(handle, CURLUPART_SCHEME)
        let host = URLHandle.part(handle, CURLUPART_HOST) ?? ""
        let port = URLHandle.part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)) ?? ""
        // Pins, cookies and credentials are chosen by this origin, so that libcurl must not connect to another.
        guard code == CURLUE_OK, let scheme, let origin = Origin(url: text),
            origin == Origin(scheme: scheme, host: URLHandle.withZone(host, handle), port: Int(port))
        else {
            curl_url_cleanup(handle)
            throw URLHandle.error(URLHandle.complaint(code, text, scheme))
        }
        // libcurl would send an empty user and password.
        if parts?.hasCredentials == false {
            for part in [CURLUPART_USER, CURLUPART_PASSWORD] { curl_url_set(handle, part, nil, 0) }
        }
        self.handle = handle
        self.origin = origin
        isSecure = scheme == "https"
        hostAndPort = "\(host):\(port)"
    }

    deinit { curl_url_cleanup(handle) }

    private static func error(_ complaint: String) -> PlugboardError {
        PlugboardError(.requestURL, "The request's URL \(complaint). Write an absolute one: https://host/path.")
    }

    /// Says what is wrong. Quotes nothing of the URL, because it may hold secrets.
    private static func complaint(_ code: CURLUcode, _ text: String, _ scheme: String?) -> String {
        if text.isEmpty { return "is empty" }
        if text.utf8.contains(0x20) { return "has a space, which must be written as %20" }
        if let hostAndPort = URLParts(text)?.hostAndPort, !hostAndPort.utf8.allSatisfy({ $0 < 0x80 }) {
            return "has a host that is not ASCII: write the host as xn--…"
        }
        switch code {
        case CURLUE_OK where scheme != "http" && scheme != "https": return "is neither http nor https"
        case CURLUE_UNSUPPORTED_SCHEME: return "is neither http nor https"
        case CURLUE_BAD_SCHEME: return "has no scheme"
        case CURLUE_BAD_PORT_NUMBER: return "has a port that is not a number from 1 to 65535"
        case CURLUE_NO_HOST, CURLUE_BAD_HOSTNAME: return "has no valid host"
        case CURLUE_BAD_IPV6: return "has an invalid IPv6 address"
        case CURLUE_BAD_LOGIN, CURLUE_BAD_USER, CURLUE_BAD_PASSWORD: return "has an invalid user name or password"
        case CURLUE_OK where URLParts(text)?.hostAndPort?.isEmpty != false: return "has no host"
        case CURLUE_OK: return "has an invalid host or port"
        default: return "cannot be read"
        }
    }

    /// libcurl stores the zone of an IPv6 address (RFC 6874) separately from the host.
    private static func withZone(_ host: String, _ handle: OpaquePointer) -> String {
        guard host.hasSuffix("]"), let zone = part(handle, CURLUPART_ZONEID) else { return host }
        return "\(host.dropLast())%25\(zone)]"
    }

    private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

/// Parsed URLs, because programs request the same few URLs again and again.
struct URLCache {
    private static let limit = 256
    private var urls: [String: URLHandle] = [:]
    /// The latest URL, which is usually also the next one.
    private var latest: (text: String, url: URLHandle)?

    mutating func url(_ text: String) throws(PlugboardError) -> URLHandle {
        if let latest, latest.text == text { return latest.url }
        if let known = urls[text] {
            latest = (text, known)
            return known
        }
        let url = try URLHandle(text)
        if urls.count >= URLCache.limit { urls.removeAll(keepingCapacity: true) }
        urls[text] = url
        latest = (text, url)
        return url
    }

    mutating func removeAll() { self = URLCache() }
}
