/// An index of a jar's secure cookies by name and parent domain, so that a look-up does not depend on the jar's size.
///
/// A head may set thousands of cookies, and for each one a jar must check that it does not hide a secure one.
struct SecureCookies: Sendable {
    private var names: [[UInt8]: Int] = [:]
    /// The domains beneath a domain that have secure cookies of a name, and how many.
    private var beneath: [Key: [String: Int]] = [:]

    private struct Key: Hashable {
        let domain: String
        let name: [UInt8]
    }

    /// Whether a secure cookie of that name exists.
    func include(name: [UInt8]) -> Bool { names[name] != nil }

    /// The subdomains of a domain that have a secure cookie of that name.
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
