import CPlugboard

extension Route {
    init(_ text: plug_text, _ flags: plug_route_flags) {
        self.init(
            text: text.optionalString ?? "", isVerified: flags & PLUG_ROUTE_UNVERIFIED == 0,
            isDetour: flags & PLUG_ROUTE_DETOUR != 0)
    }

    /// The flags of the C ABI.
    package var flags: plug_route_flags {
        (isVerified ? 0 : PLUG_ROUTE_UNVERIFIED) | (isDetour ? PLUG_ROUTE_DETOUR : 0)
    }
}

/// The options and secret fields that a sub-request takes over from an exchange, for one that is sent after the
/// exchange has ended, or for several exchanges.
public struct Inheritance: Sendable {
    fileprivate let url: String
    fileprivate let options: RequestOptions?
    fileprivate let secrets: [FieldName]

    /// Takes over nothing.
    public static let nothing = Inheritance(url: "", options: nil, secrets: [])

    fileprivate init(url: String, options: RequestOptions?, secrets: [FieldName]) {
        (self.url, self.options, self.secrets) = (url, options, secrets)
    }
}

extension Exchange {
    /// The route of the request as it is now.
    public var route: Route {
        var flags: plug_route_flags = 0
        let text = host.pointee.route(raw, &flags)
        return text.count == 0 && flags == 0 ? .direct : Route(text, flags)
    }

    /// A text for the request's own options that decide on a route to any URL; empty without such options. Share the
    /// result of a sub-request with this exchange's `inheritance` only among exchanges with an equal text.
    public var ownRoutes: String { host.pointee.own_routes(raw).string }

    /// A copy of this exchange's request as it is now, without its body, for the plugin to send: method, URL,
    /// fields with their secrets, the request's own attributes, and its options without `timeout`.
    public var requestCopy: Request {
        var copy = Request(
            request.method, request.url, fields: request.fields, attributes: ownAttributes(includesSecrets: true))
        var options = options
        options.timeout = nil
        if options != RequestOptions() { copy.options = options }
        return copy
    }

    /// What a sub-request for this exchange takes over, as it is now.
    public var inheritance: Inheritance {
        let options = options
        let secrets = request.fields.filter(\.isSecret).map { FieldName($0.name) }
        return Inheritance(
            url: request.url, options: options == RequestOptions() ? nil : options, secrets: secrets)
    }
}

extension PluginHost {
    /// The route of a request with its URL and options.
    public func route(of request: Request) -> Route {
        var flags: plug_route_flags = 0
        var options = Fields()
        if request.hasOptions { for (name, value) in request.options.texts { options.append(FieldName(name), value) } }
        let text = withText(request.url) { url in
            withCFields(options) { options, count in
                raw.pointee.configured_route(raw, url, options, count, &flags)
            }
        }
        return Route(text, flags)
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
