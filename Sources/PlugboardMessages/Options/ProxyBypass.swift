import PlugboardSystem

/// The hosts that bypass the proxy: `RequestOptions.noProxy`, or the environment's `no_proxy`.
///
/// Decided here and not by libcurl, whose versions accept different forms; 7.88.1 ignores IPv6 networks. Entries are
/// separated by commas or white space; names are never resolved.
package struct ProxyBypass {
    private enum Host {
        /// A host in normal form, with its subdomains.
        case name(String)
        /// All addresses whose first `bits` bits equal those of this one.
        case network([UInt8], bits: Int)
    }

    private var includesAll = false
    private var entries: [(host: Host, port: Int?)] = []
    /// Whether each entry has an accepted form; others are ignored.
    package private(set) var isValid = true

    package init(_ text: String) {
        for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            if word == "*" {
                includesAll = true
            } else if let host = ProxyBypass.network(word) ?? ProxyBypass.name(word) {
                entries.append((host, nil))
            } else if let colon = word.lastIndex(of: ":"),
                let port = Origin.port(word[word.index(after: colon)...].utf8),
                let host = ProxyBypass.network(word[..<colon]) ?? ProxyBypass.name(word[..<colon])
            {
                entries.append((host, port))
            } else {
                isValid = false
            }
        }
    }

    package func contains(_ origin: Origin) -> Bool {
        if includesAll { return true }
        let address = ProxyBypass.address(origin.host[...])
        return entries.contains { host, port in
            guard port == nil || port == origin.port else { return false }
            switch host {
            case .name(let name): return address == nil && (origin.host == name || origin.host.hasSuffix("." + name))
            case .network(let network, let bits): return address.map { ProxyBypass.isIn(network, bits, $0) } ?? false
            }
        }
    }

    /// Reads `10.0.0.1`, `::1` and `[::1]`, each also with `/` and the number of bits.
    private static func network(_ text: Substring) -> Host? {
        guard let slash = text.lastIndex(of: "/") else {
            return address(text).map { .network($0, bits: 8 * $0.count) }
        }
        guard let address = address(text[..<slash]), let bits = Int(text[text.index(after: slash)...]),
            0...(8 * address.count) ~= bits
        else { return nil }
        return .network(address, bits: bits)
    }

    /// Reads `example.com`, `.example.com` and `*.example.com`.
    private static func name(_ text: Substring) -> Host? {
        let bare = text.hasPrefix("*.") ? text.dropFirst(2) : text.hasPrefix(".") ? text.dropFirst() : text
        return Origin.normalizedHost(bare).map { .name($0) }
    }

    /// The bytes of an address; nil for a name. A zone is ignored.
    private static func address(_ text: Substring) -> [UInt8]? {
        var bare = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text
        if let percent = bare.firstIndex(of: "%") { bare = bare[..<percent] }
        let family = bare.contains(":") ? AF_INET6 : AF_INET
        var bytes = [UInt8](repeating: 0, count: family == AF_INET6 ? 16 : 4)
        return inet_pton(family, String(bare), &bytes) == 1 ? bytes : nil
    }

    private static func isIn(_ network: [UInt8], _ bits: Int, _ address: [UInt8]) -> Bool {
        guard network.count == address.count, network[..<(bits / 8)] == address[..<(bits / 8)] else { return false }
        let rest = bits % 8
        return rest == 0 || (network[bits / 8] ^ address[bits / 8]) >> (8 - rest) == 0
    }
}
