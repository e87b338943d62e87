import PlugboardAuthenticationOptions
import PlugboardKit
import PlugboardStore

/// Adds credentials to requests to the origins they are for, and fetches them again when a server rejects them (RFC
/// 9110 §11).
///
/// It is inside redirect, so the origin of each hop decides which credential is sent. `Credential` reads the credential
/// from the request's attributes, `SecretLife` decides when a secret is fetched, and `Keeper` lets all waiting
/// exchanges share one fetch.
struct Authentication: Plugin {
    static let manifest = Manifest(
        id: "authentication", version: "1.0.0",
        documentation: "Authenticates requests: basic, bearer, and tokens that are refreshed.", priority: 450,
        hooks: [.request, .response], needs: [Store.optionalID],
        attributes: AuthenticationAttributes.definitions,
        commands: [
            CommandDefinition("status", "Lists the secrets kept in memory and their origins, without the secrets."),
            CommandDefinition(
                "refresh", "Fetches secrets again.",
                arguments: #"{"origin": "the origin whose secrets are fetched; all without it"}"#),
            CommandDefinition("forget", "Drops the secrets kept in memory."),
        ])

    typealias Settings = AuthenticationSettings

    let host: PluginHost
    let keyring: Keyring
    let fetcher: Fetcher

    init(settings: Settings, host: PluginHost) throws {
        try self.init(settings: settings, host: host, providers: [:])
    }

    init(settings: Settings, host: PluginHost, providers: [String: TokenProvider]) throws(PlugboardError) {
        self.host = host
        keyring = Keyring(pause: settings.pause)
        let fleet = try FleetKey(settings, host).map { FleetTokens($0, settings, host) }
        fetcher = Fetcher(host: host, settings: settings, providers: providers, fleet: fleet)
    }

    func start() {
        guard let fleet = fetcher.fleet else { return }
        if let store = Store(host) { return fleet.start(store) }
        host.log(
            .warning,
            "The key of the fleet needs a plugin that provides \(Store.id), and none is enabled: this "
                + "process fetches tokens for itself alone.")
    }

    /// Accepts attributes that describe a whole credential, and those without a scheme: the request itself may add one.
    func check(_ attributes: Attributes) throws {
        let credential = try Credential(reading: { name in attributes[name].map { configured(name, $0) } })
        if let credential, let error = fetcher.error(in: credential) { throw error }
        if let credential, let secret = credential.given { _ = try credential.fieldValue(for: secret) }
    }

    /// Ends running commands. The kernel waits for the fetches that are under way.
    func stop(within: Duration) { fetcher.stop() }

    /// The value of an attribute. A source of a secret that the request carries replaces those of the configuration.
    private func attribute(_ name: String, _ exchange: borrowing Exchange) -> String? {
        let value = exchange.attribute(name)
        guard let value, let sources = Credential.sources.first(where: { $0.contains(name) }) else { return value }
        if exchange.carries(name) { return value }
        for source in sources where exchange.carries(source) { return nil }
        return configured(name, value)
    }

    /// Resolves a value of the configuration: the path of a file, in attributes whose names end with `File`, or of a
    /// program starts at the configuration's folder.
    private func configured(_ name: String, _ value: String) -> String {
        if name.hasSuffix("File") { return host.configuredPath(value) }
        guard name == AuthenticationAttributes.keys.tokenCommand.name,
            var command = [String].optionForm.read(value), let program = command.first, program.utf8.contains(0x2F)
        else { return value }
        command[0] = host.configuredPath(program)
        return [String].optionForm.text(of: command)
    }

    // MARK: Before the request is sent

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        if exchange.visit != .first, let attached = exchange.turnState as? Attached { return land(attached, exchange) }
        guard exchange.hasAttributes else { return .next }
        do throws(PlugboardError) {
            guard let credential = try Credential(reading: { attribute($0, exchange) }) else { return .next }
            let request = exchange.request
            let url = request.url
            // Credentials that the caller wrote, as a field or in the URL, take precedence.
            if request.contains(.authorization) || URLParts(url)?.hasCredentials == true { return .next }
            if let secret = credential.given {
                put(try credential.fieldValue(for: secret), on: request)
                return .next
            }
            if let error = fetcher.error(in: credential) { return .fail(error) }
            return demand(credential, for: url, exchange)
        } catch {
            return .fail(error)
        }
    }

    private func demand(_ credential: Credential, for url: String, _ exchange: borrowing Exchange) -> RequestVerdict {
        let keeper = keyring.keeper(of: credential, by: exchange.ownRoutes, at: host.now) { exchange.inheritance }
        let attached = Attached(to: keeper)
        exchange.turnState = attached
        let step = keeper.demand(for: url, at: host.now) { fetcher.fetch(for: keeper, $0, exchange: exchange.id) }
        switch step {
        case .use(let authorization):
            attached.authorization = authorization
            put(authorization, on: exchange.request)
            return .next
        case .wait(let flight):
            attached.flight = flight
            let ticket = exchange.ticket()
            return flight.whenOver { ticket.wake() } ? .wait(ticket) : land(attached, exchange)
        case .fail(let error): return .fail(error)
        case .pass: return .next
        }
    }

    /// Continues a request when the fetch that it waited for has ended.
    private func land(_ attached: Attached, _ exchange: borrowing Exchange) -> RequestVerdict {
        switch attached.flight?.outcome {
        case .success(let authorization):
            attached.flight = nil
            attached.authorization = authorization
            put(authorization, on: exchange.request)
            return .next
        case .failure(let error): return .fail(error)
        case nil: return .next
        }
    }

    private func put(_ authorization: String, on request: borrowing Head) {
        request[.authorization] = authorization
        request.markSecret(.authorization)
    }

    // MARK: After the response

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let response = exchange.response, response.status == 401 else { return .next }
        guard let attached = exchange.turnState as? Attached else {
            warnOfMissingScheme(exchange)
            return .next
        }
        if exchange.visit != .first, let flight = attached.flight { return relaunch(attached, flight, exchange) }
        // A request is sent with a fetched secret once: if the server rejects that too, its 401 passes.
        guard !attached.isRenewed, let sent = attached.authorization,
            Challenge.ask(response.fields.values(.wwwAuthenticate), for: attached.keeper.credential.scheme)
        else { return .next }
        let keeper = attached.keeper
        let step = keeper.reject(sent, at: host.now) { fetcher.fetch(for: keeper, $0, exchange: exchange.id) }
        // A request that cannot be sent again gets its 401; the fetched secret serves the requests that follow.
        guard exchange.canResend else { return .next }
        switch step {
        case .use(let authorization): return resend(authorization, attached, exchange)
        case .wait(let flight):
            attached.flight = flight
            let ticket = exchange.ticket()
            return flight.whenOver { ticket.wake() } ? .wait(ticket) : relaunch(attached, flight, exchange)
        case .fail(let error): return .fail(error)
        case .pass: return .next
        }
    }

    /// Warns of a section that has attributes but no scheme, and so has no effect.
    private func warnOfMissingScheme(_ exchange: borrowing Exchange) {
        guard exchange.attribute(AuthenticationAttributes.keys.scheme.name) == nil,
            AuthenticationAttributes.definitions.contains(where: {
                exchange.attribute("authentication.\($0.name)") != nil
            }), let origin = Origin(url: exchange.request.url)
        else { return }
        host.log(.warning, "\(origin) asks for credentials, but its attributes lack authentication.scheme.")
    }

    /// Continues a rejected request when the fetch that it waited for has ended.
    private func relaunch(
        _ attached: Attached, _ flight: Flight, _ exchange: borrowing Exchange
    ) -> ResponseVerdict {
        attached.flight = nil
        switch flight.outcome {
        case .success(let authorization): return resend(authorization, attached, exchange)
        case .failure(let error): return .fail(error)
        case nil: return .next
        }
    }

    private func resend(
        _ authorization: String, _ attached: Attached, _ exchange: borrowing Exchange
    ) -> ResponseVerdict {
        attached.isRenewed = true
        guard authorization != attached.authorization, exchange.canResend else { return .next }
        attached.authorization = authorization
        put(authorization, on: exchange.request)
        host.counter("resent").add()
        return .resend()
    }

    /// The state of one turn. Used by the hooks of its exchange only, which never overlap.
    private final class Attached {
        let keeper: Keeper
        /// The request's `Authorization`.
        var authorization: String?
        /// The fetch that the exchange waits for.
        var flight: Flight?
        var isRenewed = false

        init(to keeper: Keeper) { self.keeper = keeper }
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(authentication_LTX_plugboard_plugin)
public func authenticationPlugin() -> UnsafePointer<plug_plugin_v1> { Authentication.descriptor }
