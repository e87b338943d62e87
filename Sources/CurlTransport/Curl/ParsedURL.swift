import CCurl
import Transporting

/// A URL that libcurl has read and found good; kept as long as a transfer uses it.
///
/// Touched on the loop's thread only.
final class ParsedURL {
    /// libcurl's own form.
    let handle: OpaquePointer
    let isSecure: Bool
    /// `host:port`, all that errors say of a URL.
    let place: String

    init(_ text: String) throws(PlugboardError) {
        if text.utf8.contains(0) { throw ParsedURL.error("has a control character") }
        guard let handle = curl_url() else { throw ParsedURL.error("finds no memory") }
        let flags = UInt32(CURLU_PATH_AS_IS | CURLU_URLENCODE)
        let code = curl_url_set(handle, CURLUPART_URL, text, flags)
        let scheme = ParsedURL.part(handle, CURLUPART_SCHEME)
        let host = ParsedURL.part(handle, CURLUPART_HOST) ?? ""
        let port = ParsedURL.part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)) ?? ""
        // Pins, cookies and credentials are found by this origin, so libcurl must connect to no other.
        guard code == CURLUE_OK, let scheme, let origin = Origin(url: text),
            origin == Origin(scheme: scheme, host: ParsedURL.withZone(host, handle), port: Int(port))
        else {
            curl_url_cleanup(handle)
            throw ParsedURL.error(ParsedURL.complaint(code, text, scheme))
        }
        self.handle = handle
        isSecure = scheme == "https"
        place = "\(host):\(port)"
    }

    deinit { curl_url_cleanup(handle) }

    private static func error(_ complaint: String) -> PlugboardError {
        PlugboardError(.invalidURL, "The request's URL \(complaint). Write an absolute one: https://host/path.")
    }

    /// What is wrong, without a word of the URL itself: it may hold secrets.
    private static func complaint(_ code: CURLUcode, _ text: String, _ scheme: String?) -> String {
        if text.isEmpty { return "is empty" }
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "has a control character" }
        if text.utf8.contains(0x20) { return "has a space, which is written %20" }
        if let place = URLParts(text)?.hostAndPort, !place.utf8.allSatisfy({ $0 < 0x80 }) {
            return "has a host that is not written in ASCII: write the host as xn--…"
        }
        switch code {
        case CURLUE_OK where scheme != "http" && scheme != "https": return "is neither http nor https"
        case CURLUE_UNSUPPORTED_SCHEME: return "is neither http nor https"
        case CURLUE_BAD_SCHEME: return "has no scheme"
        case CURLUE_BAD_PORT_NUMBER: return "has a port that is no number from 1 to 65535"
        case CURLUE_NO_HOST, CURLUE_BAD_HOSTNAME: return "has no host, or one that cannot be"
        case CURLUE_BAD_IPV6: return "has an IPv6 address that is none"
        case CURLUE_BAD_LOGIN, CURLUE_BAD_USER, CURLUE_BAD_PASSWORD: return "has a user name that cannot be"
        case CURLUE_OK where URLParts(text)?.hostAndPort?.isEmpty != false: return "has no host"
        case CURLUE_OK: return "has a host or a port that cannot be"
        default: return "cannot be read"
        }
    }

    /// libcurl keeps the zone of an IPv6 address (RFC 6874) apart from the host.
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

/// URLs that were read before: programs ask for the same few again and again.
struct URLCache {
    private static let limit = 256
    private var urls: [String: ParsedURL] = [:]
    /// The last one, which is most often the next one too.
    private var latest: (text: String, url: ParsedURL)?

    mutating func url(_ text: String) throws(PlugboardError) -> ParsedURL {
        if let latest, latest.text == text { return latest.url }
        if let known = urls[text] {
            latest = (text, known)
            return known
        }
        let url = try ParsedURL(text)
        if urls.count >= URLCache.limit { urls.removeAll(keepingCapacity: true) }
        urls[text] = url
        latest = (text, url)
        return url
    }

    mutating func removeAll() { self = URLCache() }
}
