import CPSL

/// The Public Suffix List, through libpsl: the system's, or the one that came with libpsl if that is newer.
///
/// Sendable because the list never changes once it is read.
struct PublicSuffixes: @unchecked Sendable {
    private let list: OpaquePointer?

    /// Read when it is first asked for, and kept for ever.
    static let system = PublicSuffixes(list: psl_latest(nil))

    /// Whether anybody can register beneath it: `com`, `co.uk`, and every single label that the list does not know.
    func contains(_ domain: String) -> Bool {
        guard !domain.isEmpty, !HostName.isAddress(domain) else { return false }
        // The list has no names that end with a dot.
        let name = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
        guard let list else { return !name.utf8.contains(UInt8(ascii: ".")) }
        return name.withCString { psl_is_public_suffix(list, $0) } == 1
    }

    /// The shortest name that somebody can have registered; nil for public suffixes, addresses and what is no name.
    ///
    /// Names may be Unicode or Punycode, in any case and with a dot at the end; the answer is in lower case without it.
    func registrableDomain(of host: String) -> String? {
        guard !host.utf8.contains(0), !HostName.isAddress(host) else { return nil }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        guard !name.isEmpty, name.utf8.count <= 1024,
            name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty }),
            let lower = PublicSuffixes.lowercase(name)
        else { return nil }
        return lower.withCString { name in psl_registrable_domain(list, name).map { String(cString: $0) } }
    }

    private static func lowercase(_ name: String) -> String? {
        var lower: UnsafeMutablePointer<CChar>?
        guard psl_str_to_utf8lower(name, "utf-8", nil, &lower) == PSL_SUCCESS, let lower else { return nil }
        defer { psl_free_string(lower) }
        return String(cString: lower)
    }
}
