/// The options and secret fields that a sub-request takes over from an exchange, for one that is sent after the
/// exchange has ended, or for several exchanges.
public struct Inheritance: Sendable {
    fileprivate let url: String
    fileprivate let options: RequestOptions?
    fileprivate let secrets: [FieldName]

    /// Takes over nothing.
    public static let nothing = Inheritance(url: "", options: nil, secrets: [])

    package init(url: String, options: RequestOptions?, secrets: [FieldName]) {
        (self.url, self.options, self.secrets) = (url, options, secrets)
    }
}

extension Request {
    /// Takes over the options that this request does not set itself, as a sub-request of that exchange does: without
    /// `timeout`, and, to another origin, without pins and client certificate. Fields that are secret there become
    /// secret here.
    public mutating func inherit(_ inheritance: Inheritance) {
        inherit(inheritance.options, of: inheritance.url, secrets: inheritance.secrets)
    }

    /// Takes over options and secret fields from a request.
    package mutating func inherit(from parent: Request) {
        for index in parent.fields.indices where parent.fields.isSecret(at: index) {
            parent.fields.withField(index) { name, _ in fields.markSecret(name) }
        }
        inherit(parent.hasOptions ? parent.options : nil, of: parent.url, secrets: [])
    }

    private mutating func inherit(_ given: RequestOptions?, of parent: String, secrets: [FieldName]) {
        for name in secrets { fields.markSecret(name) }
        guard let given else { return }
        let isSameOrigin = Origin(url: url).map { $0 == Origin(url: parent) } ?? false
        var inherited = isSameOrigin ? given : given.forOtherOrigins
        inherited.timeout = nil
        options = options.over(inherited)
    }
}
