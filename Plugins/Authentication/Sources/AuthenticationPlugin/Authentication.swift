import AuthenticationOptions
import PlugboardKit

/// Puts credentials on requests to the origins they are for, and has them fetched anew when a server rejects them (RFC
/// 9110 §11).
///
/// It stands inside redirect, so each hop is judged by its own origin. Which credential a request has, `Credential`
/// reads from its attributes;
/// when a secret is fetched, `SecretLife` decides; `Keeper` sees to it that one fetch serves all who wait.
struct Authentication: Plugin {
    static let manifest = Manifest(
        id: "authentication", version: "1.0.0",
        documentation: "Authenticates requests: basic, bearer, and tokens that are refreshed.", priority: 450,
        hooks: [.request, .response], attributes: AuthenticationAttributes.definitions,
        commands: [
            CommandDefinition("status", "What is kept in memory, for which origins, without secrets."),
            CommandDefinition(
                "refresh", "Fetches secrets anew.",
                arguments: #"{"origin": "the origin whose secrets are meant; without it, all"}"#),
            CommandDefinition("forget", "Drops the secrets kept in memory."),
        ])

    typealias Settings = AuthenticationSettings

    let host: PluginHost
    let keyring: Keyring
    let fetcher: Fetcher

    init(settings: Settings, host: PluginHost) throws {
        self.host = host
        keyring = Keyring(pause: settings.pause)
        fetcher = Fetcher(host: host, settings: settings, threads: WorkerThreads())
    }

    /// A scheme with what it needs; without a scheme, the requests themselves have to say one.
    func check(_ attributes: Attributes) throws {
        let credential = try Credential(reading: { attributes[$0] })
        if let credential, let secret = credential.given { _ = try credential.fieldValue(for: secret) }
    }

    func stop(within: Duration) { fetcher.threads.stop() }

    // MARK: Inward

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        if exchange.visit != .first, let attached = exchange.turnState as? Attached { return land(attached, exchange) }
        do throws(PlugboardError) {
            guard let credential = try Credential(reading: { exchange.attribute($0) }) else { return .next }
            let request = exchange.request
            let url = request.url
            // What the caller wrote itself, as a field or in the URL, wins.
            if request.contains(.authorization) || URLParts(url)?.authority?.utf8.contains(UInt8(ascii: "@")) == true {
                return .next
            }
            if let secret = credential.given {
                put(try credential.fieldValue(for: secret), on: request)
                return .next
            }
            return demand(credential, for: url, exchange)
        } catch {
            return .fail(error)
        }
    }

    private func demand(_ credential: Credential, for url: String, _ exchange: borrowing Exchange) -> RequestVerdict {
        let keeper = keyring.keeper(of: credential, at: host.now)
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

    /// The flight that a request waited for is over.
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

    // MARK: Outward

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let response = exchange.response, response.status == 401 else { return .next }
        guard let attached = exchange.turnState as? Attached else {
            tellOfMissingScheme(exchange)
            return .next
        }
        if exchange.visit != .first, let flight = attached.flight { return relaunch(attached, flight, exchange) }
        // One fresh secret is all there is: a server that rejects it too means something else.
        guard !attached.isRenewed, let sent = attached.authorization,
            Challenge.ask(response.fields.values(.wwwAuthenticate), for: attached.keeper.credential.scheme)
        else { return .next }
        let keeper = attached.keeper
        let step = keeper.reject(sent, at: host.now) { fetcher.fetch(for: keeper, $0, exchange: exchange.id) }
        // What is fetched is then for the requests that follow.
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

    /// A section with all but a scheme does nothing, and should not do so silently.
    private func tellOfMissingScheme(_ exchange: borrowing Exchange) {
        guard exchange.attribute(AuthenticationAttributes.scheme.name) == nil,
            AuthenticationAttributes.definitions.contains(where: {
                exchange.attribute("authentication.\($0.name)") != nil
            }), let origin = Origin(url: exchange.request.url)
        else { return }
        host.log(.warning, "\(origin) asks for credentials, and the ones it has lack authentication.scheme.")
    }

    /// The flight that a rejected request waited for is over.
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

    /// What one turn knows of its credential. Touched by the hooks of its exchange only, which never overlap.
    private final class Attached {
        let keeper: Keeper
        /// What the request carries.
        var authorization: String?
        /// What the exchange waits for.
        var flight: Flight?
        var isRenewed = false

        init(to keeper: Keeper) { self.keeper = keeper }
    }
}

/// What a kernel asks for, linked or loaded.
@c(authentication_LTX_plugboard_plugin)
public func authenticationPlugin() -> UnsafePointer<plug_plugin_v1> { export(Authentication.self) }
