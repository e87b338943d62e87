/// Comparisons of host names, which must be in lower case.
enum HostName {
    /// Whether a host belongs to a domain (RFC 6265bis §5.1.3).
    static func matches(_ host: String, domain: String) -> Bool {
        let (host, domain) = (host.utf8, domain.utf8)
        guard host.count > domain.count else { return host.elementsEqual(domain) }
        let start = host.index(host.endIndex, offsetBy: -domain.count)
        return host[start...].elementsEqual(domain) && host[host.index(before: start)] == UInt8(ascii: ".")
            && !isAddress(host[...])
    }

    /// The domains that a host belongs to, the nearest first: `example.com` and `com` for `www.example.com`; none for
    /// an address.
    static func parents(of host: String) -> [String] {
        var parents: [String] = []
        guard !isAddress(host) else { return parents }
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            if !rest.isEmpty { parents.append(String(Substring(rest))) }
        }
        return parents
    }

    /// Whether the host is an IP address: in brackets, or with a number as its last label.
    static func isAddress(_ host: String) -> Bool { isAddress(host.utf8[...]) }

    /// Whether the host is `localhost`, a subdomain of it, or a loopback address.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || host.hasPrefix("127.") && isAddress(host)
    }

    private static func isAddress(_ host: Substring.UTF8View) -> Bool {
        if host.first == UInt8(ascii: "[") { return true }
        let name = host.last == UInt8(ascii: ".") ? host.dropLast() : host
        let last = name.lastIndex(of: UInt8(ascii: ".")).map { name[name.index(after: $0)...] } ?? name
        if last.starts(with: "0x".utf8) { return last.dropFirst(2).allSatisfy(isHexadecimalDigit) }
        return !last.isEmpty && last.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}
