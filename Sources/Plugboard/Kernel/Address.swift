import CCurl
import PlugboardKit

/// What the kernel needs to know of URLs, by libcurl's own parser (RFC 3986).
enum Address {
    /// `scheme://host:port` in lower case with its port, or nil if it is no absolute http or https URL.
    static func origin(of url: String) -> String? {
        withParsed(url) { handle in
            guard let scheme = part(handle, CURLUPART_SCHEME), scheme == "http" || scheme == "https",
                let host = part(handle, CURLUPART_HOST),
                let port = part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
            else { return nil }
            return "\(scheme)://\(host.lowercased()):\(port)"
        }
    }

    /// The host of a URL, in lower case.
    static func host(of url: String) -> String? {
        withParsed(url) { part($0, CURLUPART_HOST)?.lowercased() }
    }

    /// The absolute URL that a reference means (RFC 3986 §5), or nil.
    static func resolve(_ reference: String, against base: String) -> String? {
        withParsed(base) { handle in
            guard curl_url_set(handle, CURLUPART_URL, reference, UInt32(CURLU_URLENCODE)) == CURLUE_OK else {
                return nil
            }
            return part(handle, CURLUPART_URL)
        }
    }

    private static func withParsed<Result>(_ url: String, _ body: (OpaquePointer) -> Result?) -> Result? {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        guard curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK else { return nil }
        return body(handle)
    }

    private static func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
