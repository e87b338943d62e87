import PlugboardBorder

/// The routes that a configuration gives to requests without options of their own, made once.
package struct ConfiguredRoutes: Sendable {
    /// The options for a kind of URLs, and their routes. An object, because each look-up would copy a value.
    private final class Options: Sendable {
        let options: RequestOptions
        let (plain, secure): (Route, Route)
        /// The routes by targets of `connectTo`.
        private let detours: [String: (plain: Route, secure: Route)]

        init(_ options: RequestOptions) {
            self.options = options
            func routes(_ target: String?) -> (plain: Route, secure: Route) {
                (
                    options.route(isTLS: false, connectingTo: target), options.route(isTLS: true, connectingTo: target)
                )
            }
            (plain, secure) = routes(nil)
            detours = Dictionary(
                (options.connectTo ?? [:]).values.map { ($0, routes($0)) }, uniquingKeysWith: { first, _ in first })
        }

        func route(isTLS: Bool, connectingTo target: String?) -> Route {
            if let target {
                guard let routes = detours[target] else { return options.route(isTLS: isTLS, connectingTo: target) }
                return isTLS ? routes.secure : routes.plain
            }
            return isTLS ? secure : plain
        }
    }

    private let defaults: Options
    /// The options by hosts that have pins.
    private let pinned: [String: Options]
    /// The targets of the configuration's `connectTo`.
    private let targets: ConnectToTable?
    /// Whether the route of each request without options of its own is direct.
    let areDirect: Bool

    package init(_ settings: KernelSettings) {
        let options = settings.defaults
        defaults = Options(options)
        targets = options.connectTo.flatMap { $0.isEmpty ? nil : ConnectToTable($0) }
        pinned = (options.tls.pins == nil ? settings.pins : [:]).mapValues { pins in
            var options = options
            options.tls.pins = pins
            return Options(options)
        }
        areDirect = pinned.isEmpty && targets == nil && defaults.plain == .direct && defaults.secure == .direct
    }

    /// The route of a request to a URL without options of its own.
    func route(to url: String) -> Route {
        configured(for: url).route(isTLS: ConfiguredRoutes.isSecure(url), connectingTo: targets?.target(of: url))
    }

    /// The route of a request with its own options.
    package func route(of request: Request) -> Route {
        guard let own = request.storedOptions?.options, own.haveRoute else { return route(to: request.url) }
        let targets = own.connectTo.map { $0.isEmpty ? nil : ConnectToTable($0) } ?? targets
        let options = own.over(configured(for: request.url).options)
        return options.route(
            isTLS: ConfiguredRoutes.isSecure(request.url), connectingTo: targets?.target(of: request.url))
    }

    /// The options of a request, completed with the configuration's.
    func options(of request: Request) -> RequestOptions {
        let options = configured(for: request.url).options
        return request.storedOptions?.options.over(options) ?? options
    }

    private func configured(for url: String) -> Options {
        guard !pinned.isEmpty, ConfiguredRoutes.isSecure(url), let host = Origin(url: url)?.host else {
            return defaults
        }
        return pinned[host] ?? defaults
    }

    private static func isSecure(_ url: String) -> Bool {
        withUTF8(url) { url in
            let scheme: StaticString = "https:"
            guard url.count >= scheme.utf8CodeUnitCount else { return false }
            for index in 0..<scheme.utf8CodeUnitCount {
                let wanted = scheme.utf8Start[index]
                if url[index] != wanted && url[index] | 0x20 != wanted { return false }
            }
            return true
        }
    }
}
