import PlugboardAuthenticationOptions
import PlugboardKit
import Synchronization

/// Fetches secrets for keepers, off the loop and independent of exchanges: cancelling an exchange does not stop a
/// fetch.
struct Fetcher: Sendable {
    let host: PluginHost
    let settings: AuthenticationSettings
    let providers: [String: TokenProvider]
    /// Nil for a process that shares no tokens.
    let fleet: FleetTokens?
    private let stopping = Once()

    /// Ends running commands, and prevents closures of the program from starting.
    func stop() {
        _ = stopping.begin()
        fleet?.stop()
    }

    /// Carries out a fetch, and ends the flight. `exchange` is the exchange of its events.
    func fetch(for keeper: Keeper, _ flight: Flight, exchange: UInt64) {
        let errand = Errand(keeper: keeper, flight: flight, exchange: exchange)
        let isTaken = host.runBlocking { begin(errand) }
        if !isTaken { end(errand, .failure(.refresh("the kernel is shutting down, or no thread can be started"))) }
    }

    /// One fetch: the keeper it serves, its flight, the exchange of its events, and whether it is for the fleet.
    private struct Errand: Sendable {
        let keeper: Keeper
        let flight: Flight
        let exchange: UInt64
        var claim: FleetTokens.Claim?
        /// The refresh token that replaced the keeper's own.
        var refreshToken: String?
    }

    /// Blocks, so it is not called on the loop.
    private func begin(_ errand: Errand) {
        do throws(PlugboardError) {
            switch errand.keeper.credential.source {
            case .text(let text):
                var renewal: Duration?
                if case .file = text { renewal = settings.fileInterval }
                let secret = try read(text, for: errand.keeper)
                end(errand, secret, SecretLife.Fetched(authorization: "", renewal: renewal))
            case .command(let arguments, let lifetime):
                let command = SecretCommand(arguments: arguments, timeout: settings.timeout)
                let secret = try command.run { stopping.hasBegun }
                end(errand, secret, good(for: lifetime))
            case .provider(let name, let lifetime): try ask(name, lifetime, errand)
            case .endpoint(let endpoint): try ask(endpoint, errand)
            }
        } catch {
            end(errand, .failure(error))
        }
    }

    private func read(_ text: SecretText, for keeper: Keeper) throws(PlugboardError) -> String {
        switch text {
        case .given(let secret): return secret
        case .file(let path):
            let known = keeper.memory.withLock { $0.files[path] }
            let file = try SecretFile(path, known: known)
            keeper.memory.withLock { $0.files[path] = file }
            return file.text
        case .environment(let name):
            guard let value = Environment.value(of: name), !value.isEmpty else {
                throw .refresh("the environment variable \(Printable.text(name)) is not set")
            }
            return value
        }
    }

    /// The times of a secret: it is renewed before its end, and a rejection soon after the fetch is ignored.
    private func good(for lifetime: Duration?) -> SecretLife.Fetched {
        SecretLife.Fetched(
            authorization: "", lifetime: lifetime, renewal: lifetime.map { $0 - min(settings.margin, $0 / 2) },
            pause: settings.pause)
    }

    // MARK: Closures of the program

    private func ask(_ name: String, _ lifetime: Duration?, _ errand: Errand) throws(PlugboardError) {
        guard let provider = providers[name] else { throw .credential(missing(name)) }
        let isOver = Once()
        let task = host.startTask {
            do {
                let token = try await provider()
                if isOver.begin() { end(errand, token.value, good(for: token.lifetime ?? lifetime)) }
            } catch {
                // A program's error may contain secrets, so only its code or its type is printed.
                let what = (error as? PlugboardError)?.code.name ?? "\(type(of: error))"
                if isOver.begin() {
                    end(errand, .failure(.refresh("the token provider \(shown(name)) failed: \(what)")))
                }
            }
            isOver.timer.withLock { $0.take() }?.cancel()
        }
        let timer = host.schedule(after: settings.timeout) {
            task.cancel()
            guard isOver.begin() else { return }
            let limit = DurationText(settings.timeout)
            end(errand, .failure(.refresh("the token provider \(shown(name)) did not return within \(limit)")))
        }
        // If the task has ended before, its end found no timer.
        if isOver.hasBegun { timer.cancel() } else { isOver.timer.withLock { $0 = timer } }
        // No task begins while the plugin stops.
        if stopping.hasBegun, isOver.begin() { end(errand, .failure(.refresh("the kernel is shutting down"))) }
    }

    /// Why a credential with a provider cannot be used; nil if it can.
    func error(in credential: Credential) -> PlugboardError? {
        guard case .provider(let name, _) = credential.source, providers[name] == nil else { return nil }
        return .credential(missing(name))
    }

    private func missing(_ name: String) -> String {
        let known = providers.keys.sorted().map { shown($0) }.joined(separator: ", ")
        return "authentication.tokenProvider is \(shown(name)), and the program gives "
            + (known.isEmpty ? "no token providers; give them with .authentication(tokenProviders:)" : "only \(known)")
    }

    private func shown(_ name: String) -> String { Printable.text(name) }

    /// Something that happens once, such as the outcome, which both the closure and its time limit may bring.
    private final class Once: Sendable {
        private let isBegun = Atomic(false)
        let timer = Mutex<PluginHost.Timer?>(nil)
        var hasBegun: Bool { isBegun.load(ordering: .acquiring) }
        /// True for the first call only.
        func begin() -> Bool { !isBegun.exchange(true, ordering: .acquiringAndReleasing) }
    }

    // MARK: Token endpoints

    private func ask(_ endpoint: TokenEndpoint, _ errand: Errand) throws(PlugboardError) {
        let clientSecret = try text(endpoint.clientSecret, for: errand.keeper)
        let stored = try text(endpoint.refreshToken, for: errand.keeper)
        var plain = Request(.post, endpoint.url)
        plain.inherit(errand.keeper.inheritance)
        let route = host.route(of: plain)
        // A token of a server that was not verified is for this process only.
        guard let fleet, route.isVerified else { return ask(endpoint, clientSecret, stored, errand) }
        let identity = endpoint.identity(clientSecret) + [route.text, errand.keeper.routes]
        host.startTask {
            var errand = errand
            let (keeper, unwanted) = (errand.keeper, errand.keeper.unwanted)
            let finding = await fleet.find(identity, stored, within: settings.timeout / 2) { token in
                unwanted == nil || (try? keeper.credential.fieldValue(for: token)) != unwanted
            }
            var found: FleetTokens.Found?
            switch finding {
            case .found(let all): found = all
            case .claimed(let claim): (found, errand.claim) = (claim.found, claim)
            case .alone: break
            }
            if let stored, let new = found?.refreshToken, new != stored {
                keeper.memory.withLock { $0.replaced = (stored, new) }
            }
            if errand.claim == nil, let token = found?.token {
                host.counter("shared").add()
                // The time until it is looked for again. By the endpoint's own, its end is not known here.
                let renewal = token.rest.map { $0 / 2 }
                return end(
                    errand, token.text,
                    SecretLife.Fetched(
                        authorization: "", lifetime: token.rest, renewal: renewal, pause: settings.pause),
                    isNew: false)
            }
            ask(endpoint, clientSecret, stored, errand)
        }
        // No task begins while the plugin stops.
        if stopping.hasBegun { end(errand, .failure(.refresh("the kernel is shutting down"))) }
    }

    private func ask(_ endpoint: TokenEndpoint, _ clientSecret: String?, _ stored: String?, _ errand: Errand) {
        // If the text has changed since the endpoint replaced it, it is used, because the user has logged in again.
        let refreshToken = errand.keeper.memory.withLock { memory in
            memory.replaced.flatMap { $0.old == stored ? $0.new : nil } ?? stored
        }
        var request = endpoint.request(
            clientSecret: clientSecret, refreshToken: refreshToken, timeout: settings.timeout)
        request.inherit(errand.keeper.inheritance)
        let (route, configured) = (host.route(of: request), host.route(of: Request(.post, request.url)))
        // Other processes send the file's token by the configuration's route. An answer by any other detour, or of a
        // server that was not verified, must not replace it.
        let isTrusted = route.isVerified && (!route.isDetour || route == configured)
        // Detached: the exchange that wanted the token may end earlier, or may be too deep in sub-requests.
        host.send(request, for: nil, isDetached: true) { result in
            switch result {
            case .failure(let error):
                end(errand, .failure(.refresh("\(name(endpoint)) could not be asked for a token: \(error.code)")))
            case .success(let response):
                response.collect(upTo: TokenResponse.limit) { body in
                    receive(
                        response.head.status, try? body.get(), endpoint, stored: stored, mayStore: isTrusted, errand)
                }
            }
        }
    }

    private func text(_ text: SecretText?, for keeper: Keeper) throws(PlugboardError) -> String? {
        guard let text else { return nil }
        return try read(text, for: keeper)
    }

    /// Called on the loop.
    private func receive(
        _ status: Int, _ body: Bytes?, _ endpoint: TokenEndpoint, stored: String?, mayStore: Bool, _ errand: Errand
    ) {
        var errand = errand
        do throws(PlugboardError) {
            guard let body else {
                throw .refresh("the response of \(name(endpoint)) was cut, or is larger than 64 KiB")
            }
            let response = try TokenResponse(status: status, body: body, of: name(endpoint))
            let fetched = good(for: response.lifetime ?? endpoint.lifetime)
            let new = response.refreshToken.flatMap { $0 != stored ? $0 : nil }
            errand.refreshToken = errand.keeper.memory.withLock { memory in
                if let stored, let new { memory.replaced = (stored, new) }
                return memory.replaced.flatMap { $0.old == stored ? $0.new : nil }
            }
            guard stored != nil, let new, case .file(let path)? = endpoint.refreshToken else {
                return end(errand, response.token, fetched)
            }
            // Stored before the waiting exchanges continue, because the old refresh token may be invalid already.
            let finish = { @Sendable [errand] in
                store(new, in: path, mayStore)
                end(errand, response.token, fetched)
            }
            if !host.runBlocking(finish) { finish() }
        } catch {
            end(errand, .failure(error))
        }
    }

    /// Best effort: the token stays in memory while the process runs.
    private func store(_ refreshToken: String, in path: String, _ mayStore: Bool) {
        do throws(PlugboardError) {
            guard mayStore else {
                throw .refresh("it came from a server that was not verified, or that is not the URL's")
            }
            try WholeFile.save(Array("\(refreshToken)\n".utf8), to: path, code: .authenticationRefresh)
        } catch {
            host.log(.warning, "The new refresh token could not be stored for the next start. \(error.reason)")
        }
    }

    /// The endpoint's origin, which may be printed.
    private func name(_ endpoint: TokenEndpoint) -> String { Origin(url: endpoint.url)?.description ?? "the endpoint" }

    // MARK: The end

    private func end(_ errand: Errand, _ secret: String, _ fetched: SecretLife.Fetched, isNew: Bool = true) {
        var fetched = fetched
        do throws(PlugboardError) {
            fetched.authorization = try errand.keeper.credential.fieldValue(for: secret)
        } catch {
            return end(errand, .failure(PlugboardError(.authenticationRefresh, error.reason)))
        }
        finish(errand, .success(fetched), (secret, fetched.lifetime), isNew: isNew)
    }

    private func end(_ errand: Errand, _ result: Result<SecretLife.Fetched, PlugboardError>) {
        finish(errand, result, nil, isNew: true)
    }

    /// The fleet has what was fetched for it before the waiting exchanges continue, because the old refresh token may
    /// be invalid already.
    private func finish(
        _ errand: Errand, _ result: Result<SecretLife.Fetched, PlugboardError>, _ token: (String, Duration?)?,
        isNew: Bool
    ) {
        let finish = { @Sendable in
            errand.keeper.finish(errand.flight, result, at: host.now) { if isNew { report(result, errand) } }
        }
        guard let fleet, let claim = errand.claim else { return finish() }
        fleet.end(claim, token, refreshToken: errand.refreshToken, finish)
    }

    private func report(_ result: Result<SecretLife.Fetched, PlugboardError>, _ errand: Errand) {
        let credential = errand.keeper.credential
        var details = Fields(["scheme": credential.scheme.name.lowercased(), "source": credential.source.name])
        switch result {
        case .success(let fetched):
            if let lifetime = fetched.lifetime { details["lifetime"] = DurationText(lifetime).description }
            host.counter("refreshed").add()
            host.publish("authentication.refreshed", exchange: errand.exchange, details: details)
        case .failure(let error):
            details["reason"] = error.reason
            host.counter("refreshFailed").add()
            host.log(.warning, error.reason)
            host.publish("authentication.refreshFailed", exchange: errand.exchange, details: details)
        }
    }
}
