import CPlugboardPSL

/// The Public Suffix List of libpsl: the system's, or libpsl's built-in one if that is newer.
///
/// Sendable because the list never changes after it is read.
struct PublicSuffixes: @unchecked Sendable {
    private let list: OpaquePointer?

    /// Read at the first use, and never released.
    static let system = PublicSuffixes(list: psl_latest(nil))

    /// Whether anyone can register a name beneath the domain: `com`, `co.uk`, and every single label not in the list.
    func contains(_ domain: String) -> Bool {
        guard !domain.isEmpty, !HostName.isAddress(domain) else { return false }
        // The list contains no names with a final dot.
        let name = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
        guard let list else { return !name.utf8.contains(UInt8(ascii: ".")) }
        return name.withCString { psl_is_public_suffix(list, $0) } == 1
    }

    /// The shortest domain of a host that can be registered; nil for public suffixes, addresses and invalid names.
    ///
    /// The host may be in Unicode or Punycode, in any case, and may end with a dot; the result is in lower case without
    /// the dot.
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
