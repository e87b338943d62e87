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
        let place = authority.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? authority.utf8
        // The colons of an IPv6 address stand in brackets.
        let colon = place.lastIndex(of: UInt8(ascii: ":")).flatMap { place[$0...].contains(UInt8(ascii: "]")) ? nil : $0 }
        let host = Substring(place[..<(colon ?? place.endIndex)]).lowercased()
        let port = String(Substring(place[(colon ?? place.endIndex)...].dropFirst()))
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
