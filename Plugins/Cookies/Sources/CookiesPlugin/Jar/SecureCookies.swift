/// Where a jar has secure cookies, by their names and the domains they are beneath: found by a look-up, however large
/// the jar is.
///
/// An answer may bring thousands of cookies, each of which must not hide a secure one. Hardly ever is there one to look
/// for.
struct SecureCookies: Sendable {
    private var names: [[UInt8]: Int] = [:]
    /// The domains of a name's cookies beneath a domain, and how many it has in each.
    private var beneath: [Key: [String: Int]] = [:]

    private struct Key: Hashable {
        let domain: String
        let name: [UInt8]
    }

    /// Whether there is one of that name.
    func include(name: [UInt8]) -> Bool { names[name] != nil }

    /// The subdomains of a domain that have one of that name.
    func domains(beneath domain: String, name: [UInt8]) -> some Collection<String> {
        (beneath[Key(domain: domain, name: name)] ?? [:]).keys
    }

    mutating func add(_ id: Cookie.ID) { change(id, by: 1) }

    mutating func remove(_ id: Cookie.ID) { change(id, by: -1) }

    private mutating func change(_ id: Cookie.ID, by amount: Int) {
        SecureCookies.change(&names[id.name], by: amount)
        for domain in HostName.parents(of: id.domain) {
            let key = Key(domain: domain, name: id.name)
            SecureCookies.change(&beneath[key, default: [:]][id.domain], by: amount)
            if beneath[key]?.isEmpty == true { beneath[key] = nil }
        }
    }

    private static func change(_ count: inout Int?, by amount: Int) {
        let changed = (count ?? 0) + amount
        count = changed > 0 ? changed : nil
    }
}
