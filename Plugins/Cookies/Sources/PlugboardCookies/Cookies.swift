import PlugboardCookiesOptions
import PlugboardJSON
import PlugboardKit
import PlugboardSQLite

/// Keeps cookies (RFC 6265bis): sends those of a jar with each request, and stores those of each head from the network.
struct Cookies: Plugin {
    static let manifest = Manifest(
        id: "cookies", version: "1.0.0", documentation: "Keeps cookies (RFC 6265bis).", priority: 500,
        hooks: [.request, .event], events: ["headReceived"],
        attributes: CookiesAttributes.definitions,
        commands: CookieCommand.allCases.map(\.definition))

    typealias Settings = CookiesSettings

    let settings: Settings
    let host: PluginHost
    let jars: Jars
    /// The cookies of servers whose certificate was not verified, in memory only. They are never sent to a verified
    /// server, and other cookies never to an unverified one, because anyone may set the former and read the latter.
    let unverified: Jars
    let suffixes = PublicSuffixes.system
    private let stored: PluginHost.Counter
    private let refused: PluginHost.Counter

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        stored = host.counter("stored")
        refused = host.counter("refused")
        let path = Cookies.path(settings, host)
        if let path {
            do throws(SQLiteFailure) { try SQLiteStore.check(path.starting, schema: CookieFile.schema) } catch {
                throw PlugboardError(.configuration, "Cookies cannot be stored in the file. \(error.message)")
            }
        }
        let limits = Jar.Limits(perDomain: settings.domainLimit, total: settings.limit)
        let empty = Jar(limits: limits, keepsSession: settings.sessionCookies == .keep, suffixes: suffixes)
        jars = Jars(empty: empty, path: path?.current, host: host)
        unverified = Jars(empty: empty, path: nil, host: host)
    }

    /// The path now, and the path after start. Nil if cookies stay in memory: by the settings or, with a warning,
    /// because there is no data directory.
    private static func path(
        _ settings: Settings, _ host: PluginHost
    ) -> (current: String, starting: String)? {
        guard settings.persistence == .file else { return nil }
        if let path = settings.path, !path.isEmpty {
            let file = host.configuredPath(path)
            return (file, file)
        }
        if let folder = host.dataDirectory, let starting = host.dataPath {
            return ("\(folder)/cookies.sqlite", "\(starting)/cookies.sqlite")
        }
        host.log(.warning, "There is no data directory, so all cookies end with the process. Set cookies.path.")
        return nil
    }

    /// Starts to read the file, so that the first request does not have to wait for it.
    func start() throws { jars.refresh(waking: nil) }

    func stop(within limit: Duration) { jars.close(within: limit) }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        if exchange.visit == .first && jars.isStale(at: host.now) {
            // A limit, so that a slow disk delays a request for 5 seconds at most.
            let ticket = exchange.ticket(within: .seconds(5))
            jars.refresh(waking: ticket)
            return .wait(ticket)
        }
        if exchange.visit == .deadline { jars.giveUpWaiting() }
        guard !jars.isEmpty || !unverified.isEmpty, exchange[CookiesAttributes.keys.send] != false else { return .next }
        let request = exchange.request
        let hasOwn = request.contains(.cookie)
        // Without the attribute, a request that has a `Cookie` field of its own is not changed.
        guard !hasOwn || exchange[CookiesAttributes.keys.always] == true, let uri = uri(of: exchange) else {
            return .next
        }
        let (jars, jar) = jar(of: exchange)
        guard var field = jars.field(for: uri, from: jar) else { return .next }
        if hasOwn {
            request.fields.forEachField { name, value in
                if Cookies.isNamed("cookie", name), !value.isEmpty { field += Array("; ".utf8) + value }
            }
        }
        request.set(.cookie, field)
        request.markSecret(.cookie)
        return .next
    }

    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
        guard let head = event.head, head.contains(.setCookie) else { return }
        switch exchange {
        case .some(let exchange):
            guard exchange[CookiesAttributes.keys.store] != false, let uri = uri(of: exchange) else { return }
            receive(head.fields, from: uri, into: jar(of: exchange), in: exchange.id)
        case .none: break
        }
    }

    /// The jar that an exchange sends cookies of, and stores them in: one of its own for each Unix socket and each
    /// target of `connectTo`, because another server responds there.
    private func jar(of exchange: borrowing Exchange) -> (jars: Jars, name: String) {
        let name = exchange[CookiesAttributes.keys.jar] ?? settings.jar
        if settings.acrossRoutes { return (jars, name) }
        let route = exchange.route
        return (route.isVerified ? jars : unverified, Cookies.jar(name, by: route))
    }

    /// The jar of a request to the URL that has no options of its own.
    func jar(for url: String) -> String {
        settings.acrossRoutes ? settings.jar : Cookies.jar(settings.jar, by: host.route(of: Request(.get, url)))
    }

    private static func jar(_ name: String, by route: Route) -> String {
        route.detour.map { "\(name) by \($0)" } ?? name
    }

    /// The URL of the request; in an event, the URL that was sent.
    private func uri(of exchange: borrowing Exchange) -> RequestURI? {
        RequestURI(exchange.request.url, trustsLoopback: settings.trustLoopback)
    }

    // MARK: Receiving

    private func receive(
        _ fields: Fields, from uri: RequestURI, into jar: (jars: Jars, name: String), in exchange: UInt64
    ) {
        let tally = jar.jars.withJar(jar.name) { jar, now in
            var tally = Tally(evictions: jar.evictions)
            fields.forEachField { name, value in
                guard Cookies.isNamed("set-cookie", name) else { return }
                tally.add(value) { (field) throws(Refusal) in try jar.receive(field, from: uri, now: now) }
            }
            tally.evictions = jar.evictions - tally.evictions
            return tally
        }
        report(tally, of: uri, in: exchange)
    }

    private static func isNamed(_ text: String, _ name: UnsafeRawBufferPointer) -> Bool {
        name.count == text.utf8.count && zip(name, text.utf8).allSatisfy { lowercaseASCII($0) == $1 }
    }

    private func report(_ tally: Tally, of uri: RequestURI, in exchange: UInt64) {
        stored.add(tally.stored)
        refused.add(tally.refused)
        if tally.stored > 0 {
            host.publish(
                "cookies.stored", exchange: exchange, details: ["host": uri.host, "count": "\(tally.stored)"])
        }
        for refusal in tally.refusals {
            let name = Printable.text(Fields.text(refusal.name))
            host.log(.debug, "\(uri.host): the cookie \(name) is refused: \(refusal.reason.rawValue)")
            host.publish(
                "cookies.refused", exchange: exchange,
                details: ["host": uri.host, "name": name, "reason": refusal.reason.rawValue])
        }
        if tally.evictions > 0 {
            host.publish("cookies.evicted", exchange: exchange, details: ["count": "\(tally.evictions)"])
        }
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(cookies_LTX_plugboard_plugin)
public func cookiesPlugin() -> UnsafePointer<plug_plugin_v1> { Cookies.descriptor }
