/// What is known of the secure cookies of a jar without a look at each: their names, and the domains they are beneath.
///
/// An answer may bring thousands of cookies, each of which must not hide a secure one. Hardly ever is there one to look
/// for.
struct SecureCookies: Sendable {
    private var names: [[UInt8]: Int] = [:]
    /// How many there are in the domains beneath each.
    private var beneath: [String: Int] = [:]

    /// Whether there is one of that name.
    func include(name: [UInt8]) -> Bool { names[name] != nil }

    /// Whether a domain has subdomains with any.
    func areBeneath(_ domain: String) -> Bool { beneath[domain] != nil }

    mutating func add(_ id: Cookie.ID) { change(id, by: 1) }

    mutating func remove(_ id: Cookie.ID) { change(id, by: -1) }

    private mutating func change(_ id: Cookie.ID, by amount: Int) {
        SecureCookies.change(&names[id.name], by: amount)
        for domain in HostName.parents(of: id.domain) { SecureCookies.change(&beneath[domain], by: amount) }
    }

    private static func change(_ count: inout Int?, by amount: Int) {
        let changed = (count ?? 0) + amount
        count = changed > 0 ? changed : nil
    }
}
