extension PluginEntry {
    /// A plugin whose hooks are closures, which work like the hooks of `PluginInstance`. Hooks without a closure are
    /// not called.
    ///
    ///     .hooks("com.acme.sign", priority: 900, onRequest: { exchange in
    ///         let request = exchange.request
    ///         request["x-signature"] = keys.signature(of: "\(request.method) \(request.url)")
    ///         return .next
    ///     })
    ///
    /// A closure that throws is a fault of the plugin; to fail the exchange, return `.fail(error)`.
    ///
    /// - Parameters:
    ///   - id: The plugin's name in logs, metrics, `explain` and configurations; in reverse domain order.
    ///   - priority: 0 (outermost) to 999 (innermost). From 800 on, it is called for each attempt; below, once for
    ///     each exchange.
    ///   - before: Ids of plugins that must stand further in.
    ///   - after: Ids of plugins that must stand further out.
    ///   - events: Ids of the events that `onEvent` is called for; empty: all.
    ///   - requestBody: Puts a source around the request's body, if it has one, when `onRequest` returns `next` or is
    ///     not given.
    ///   - responseBody: Puts a source around the response's body, if it has one, when `onResponse` returns `next` or
    ///     is not given.
    public static func hooks(
        _ id: String, priority: Int, before: [String] = [], after: [String] = [],
        onRequest: (@Sendable (borrowing Exchange) throws -> RequestVerdict)? = nil,
        onResponse: (@Sendable (borrowing Exchange) throws -> ResponseVerdict)? = nil,
        onFailure: (@Sendable (borrowing Exchange) throws -> FailureVerdict)? = nil,
        onClose: (@Sendable (borrowing Exchange, TurnOutcome) -> Void)? = nil,
        onEvent: (@Sendable (borrowing Event, borrowing Exchange?) -> Void)? = nil, events: [String] = [],
        requestBody: (@Sendable (InnerBody) -> any BodySource)? = nil,
        responseBody: (@Sendable (InnerBody) -> any BodySource)? = nil
    ) -> PluginEntry {
        var hooks: Hooks = []
        if onRequest != nil || requestBody != nil { hooks.insert(.request) }
        if onResponse != nil || responseBody != nil { hooks.insert(.response) }
        if onFailure != nil { hooks.insert(.failure) }
        if onClose != nil { hooks.insert(.close) }
        if onEvent != nil { hooks.insert(.event) }
        let manifest = Manifest(
            id: id, version: "1.0.0", documentation: "Closures of the program.", priority: priority, hooks: hooks,
            before: before, after: after, events: events)
        return PluginEntry(
            LinkedDescriptor(manifest, settings: []) { host, _ in
                Instance(
                    host: host, check: { _ in }, start: {}, stop: { _ in },
                    onRequest: { exchange in
                        let verdict = try onRequest?(exchange).boxed()
                        if let requestBody, verdict == nil { exchange.wrapRequestBody(requestBody) }
                        return verdict
                    },
                    onResponse: { exchange in
                        let verdict = try onResponse?(exchange).boxed()
                        if let responseBody, verdict == nil { exchange.wrapResponseBody(responseBody) }
                        return verdict
                    },
                    onFailure: { try onFailure?($0).boxed() }, onClose: { onClose?($0, $1) },
                    onEvent: { onEvent?($0, $1) }, command: { _, _, _ in })
            })
    }
}
