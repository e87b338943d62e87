/// Scheme, host and port of an http or https URL (RFC 6454 §4).
struct Origin: Equatable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: String

    /// Nil when the URL is no absolute one of http or https.
    init?(url: String) {
        guard let parts = URLParts(url), let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let authority = parts.authority
        else { return nil }
        let bytes = authority.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "@")).map { bytes.index(after: $0) } ?? bytes.startIndex
        // The colons of an IPv6 address stand in brackets.
        let bracket = bytes[start...].lastIndex(of: UInt8(ascii: "]")) ?? start
        let end = bytes[bracket...].lastIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        let host = authority[start..<end].lowercased()
        let port = String(authority[end...].dropFirst())
        if host.isEmpty { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port.isEmpty ? (scheme == "https" ? "443" : "80") : port
    }

    var description: String {
        let isDefault = port == (scheme == "https" ? "443" : "80")
        return "\(scheme)://\(host)\(isDefault ? "" : ":\(port)")"
    }
}
