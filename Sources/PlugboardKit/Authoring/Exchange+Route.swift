import CPlugboard

extension Exchange {
    /// The route of the request as it is now.
    public var route: Route {
        var flags: plug_route_flags = 0
        let text = host.pointee.route(raw, &flags)
        return text.count == 0 && flags == 0 ? .direct : Route(text, flags)
    }

    /// A text for the request's own options that decide on a route to any URL; empty without such options. Share the
    /// result of a sub-request with this exchange's `inheritance` only among exchanges with an equal text.
    public var ownRoutes: String {
        let text = host.pointee.own_routes(raw)
        // Most requests have none.
        return text.count == 0 ? "" : text.string
    }

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
