import PlugboardKit

/// The routes that a configuration gives to requests without options of their own, made once.
struct ConfiguredRoutes: Sendable {
    private let defaults: RequestOptions
    /// Of the configuration's `connectTo`.
    private let targets: ConnectToTable?
    private let pins: [String: [String]]
    private let (plain, secure): (Route, Route)
    /// By hosts that have pins.
    private let pinned: [String: Route]

    init(_ settings: KernelSettings) {
        let defaults = settings.defaults
        self.defaults = defaults
        targets = defaults.connectTo.flatMap { $0.isEmpty ? nil : ConnectToTable($0) }
        pins = defaults.tls.pins == nil ? settings.pins : [:]
        plain = defaults.route(isTLS: false, connectingTo: nil)
        secure = defaults.route(isTLS: true, connectingTo: nil)
        pinned = pins.mapValues { pins in
            var options = defaults
            options.tls.pins = pins
            return options.route(isTLS: true, connectingTo: nil)
        }
    }

    /// The route of a request to a URL without options of its own.
    func route(to url: String) -> Route {
        if let target = targets?.target(of: url) { return route(to: url, defaults, connectingTo: target) }
        guard ConfiguredRoutes.isSecure(url) else { return plain }
        guard !pinned.isEmpty, let host = Origin(url: url)?.host else { return secure }
        return pinned[host] ?? secure
    }

    /// The route of a request, with what it says itself.
    func route(of request: Request) -> Route {
        guard let own = request.storedOptions?.options, own.haveRoute else { return route(to: request.url) }
        let targets = own.connectTo.map { $0.isEmpty ? nil : ConnectToTable($0) } ?? targets
        return route(to: request.url, own.over(defaults), connectingTo: targets?.target(of: request.url))
    }

    private func route(to url: String, _ options: RequestOptions, connectingTo target: String?) -> Route {
        var options = options
        if options.tls.pins == nil, !pins.isEmpty, let host = Origin(url: url)?.host { options.tls.pins = pins[host] }
        return options.route(isTLS: ConfiguredRoutes.isSecure(url), connectingTo: target)
    }

    private static func isSecure(_ url: String) -> Bool {
        let scheme = url.utf8.prefix(6)
        return scheme.count == 6 && zip(scheme, "https:".utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
    }
}
