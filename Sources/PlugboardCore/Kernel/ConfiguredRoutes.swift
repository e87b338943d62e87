import PlugboardKit

/// The marks of the routes that a configuration gives to requests without options of their own, made once.
struct ConfiguredRoutes: Sendable {
    private let defaults: RequestOptions
    private let pins: [String: [String]]
    private let (plain, secure): (RouteMark, RouteMark)
    /// By hosts that have pins.
    private let pinned: [String: RouteMark]

    init(_ settings: KernelSettings) {
        let defaults = settings.defaults
        self.defaults = defaults
        pins = defaults.tls.pins == nil ? settings.pins : [:]
        (plain, secure) = (defaults.routeMark(isTLS: false), defaults.routeMark(isTLS: true))
        pinned = pins.mapValues { pins in
            var options = defaults
            options.tls.pins = pins
            return options.routeMark(isTLS: true)
        }
    }

    /// The mark of a request to a URL without options of its own.
    func mark(for url: String) -> RouteMark {
        guard ConfiguredRoutes.isSecure(url) else { return plain }
        guard !pinned.isEmpty, let host = Origin(url: url)?.host else { return secure }
        return pinned[host] ?? secure
    }

    /// The mark of a request, with what it says itself.
    func mark(of request: Request) -> RouteMark {
        guard let own = request.storedOptions?.options, own.haveRoute else { return mark(for: request.url) }
        var options = own.over(defaults)
        if options.tls.pins == nil, !pins.isEmpty, let host = Origin(url: request.url)?.host {
            options.tls.pins = pins[host]
        }
        return options.routeMark(isTLS: ConfiguredRoutes.isSecure(request.url))
    }

    private static func isSecure(_ url: String) -> Bool {
        let scheme = url.utf8.prefix(6)
        return scheme.count == 6 && zip(scheme, "https:".utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
    }
}
