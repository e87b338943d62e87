import AuthenticationOptions
import PlugboardKit

/// Fetches secrets for keepers, off the loop, beside all exchanges: cancelling the one that wanted it stops nothing.
struct Fetcher: Sendable {
    let host: PluginHost
    let settings: AuthenticationSettings
    let threads: WorkerThreads

    /// Carries a flight out, and ends it. `exchange` is whom the events are told of.
    func fetch(for keeper: Keeper, _ flight: Flight, exchange: UInt64) {
        let errand = Errand(keeper: keeper, flight: flight, exchange: exchange)
        let isTaken = threads.run { begin(errand) }
        if !isTaken { end(errand, .failure(.refresh("the kernel is shutting down, or there is no thread for it"))) }
    }

    /// What one fetch is for.
    private struct Errand: Sendable {
        let keeper: Keeper
        let flight: Flight
        let exchange: UInt64
    }

    /// Blocks.
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
                let secret = try command.run { threads.isStopping }
                end(errand, secret, good(for: lifetime))
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
                throw .refresh("the environment variable \(printable(name)) is not set")
            }
            return value
        }
    }

    /// A secret that was given out: renewed somewhat before its end, and then not doubted at once.
    private func good(for lifetime: Duration?) -> SecretLife.Fetched {
        SecretLife.Fetched(
            authorization: "", lifetime: lifetime, renewal: lifetime.map { $0 - min(settings.margin, $0 / 2) },
            pause: settings.pause)
    }

    // MARK: Token endpoints

    private func ask(_ endpoint: TokenEndpoint, _ errand: Errand) throws(PlugboardError) {
        let clientSecret = try text(endpoint.clientSecret, for: errand.keeper)
        let stored = try text(endpoint.refreshToken, for: errand.keeper)
        // A text that was changed since it was replaced counts again: somebody has logged in anew.
        let refreshToken = errand.keeper.memory.withLock { memory in
            memory.replaced.flatMap { $0.old == stored ? $0.new : nil } ?? stored
        }
        let request = endpoint.request(
            clientSecret: clientSecret, refreshToken: refreshToken, timeout: settings.timeout)
        // For nobody in particular: whoever wanted it may end before, or stand too deep in sub-requests to send
        // another.
        host.send(request, for: nil, isDetached: true) { result in
            switch result {
            case .failure(let error):
                end(errand, .failure(.refresh("\(name(endpoint)) could not be asked for a token: \(error.code)")))
            case .success(let answer):
                answer.collect(upTo: TokenResponse.limit) { body in
                    receive(answer.head.status, try? body.get(), endpoint, stored: stored, errand)
                }
            }
        }
    }

    private func text(_ text: SecretText?, for keeper: Keeper) throws(PlugboardError) -> String? {
        guard let text else { return nil }
        return try read(text, for: keeper)
    }

    /// On the loop.
    private func receive(
        _ status: Int, _ body: Bytes?, _ endpoint: TokenEndpoint, stored: String?, _ errand: Errand
    ) {
        do throws(PlugboardError) {
            guard let body else {
                throw .refresh("the answer of \(name(endpoint)) broke off or is larger than 64 KiB")
            }
            let answer = try TokenResponse(status: status, body: body, of: name(endpoint))
            let fetched = good(for: answer.lifetime ?? endpoint.lifetime)
            guard let stored, let new = answer.refreshToken, new != stored else {
                return end(errand, answer.token, fetched)
            }
            errand.keeper.memory.withLock { $0.replaced = (stored, new) }
            guard case .file(let path)? = endpoint.refreshToken else { return end(errand, answer.token, fetched) }
            // Before anybody goes on: the old refresh token may be worth nothing any more.
            let isTaken = threads.run {
                store(new, in: path)
                end(errand, answer.token, fetched)
            }
            if !isTaken {
                store(new, in: path)
                end(errand, answer.token, fetched)
            }
        } catch {
            end(errand, .failure(error))
        }
    }

    /// Best effort: as long as the process lives, memory has it too.
    private func store(_ refreshToken: String, in path: String) {
        do throws(PlugboardError) {
            try SecretFile.replace(path, with: refreshToken)
        } catch {
            host.log(.warning, "The new refresh token could not be kept for the next start. \(error.reason)")
        }
    }

    /// As it may be printed.
    private func name(_ endpoint: TokenEndpoint) -> String { Origin(url: endpoint.url)?.description ?? "the endpoint" }

    // MARK: The end

    private func end(_ errand: Errand, _ secret: String, _ fetched: SecretLife.Fetched) {
        var fetched = fetched
        do throws(PlugboardError) {
            fetched.authorization = try errand.keeper.credential.fieldValue(for: secret)
            end(errand, .success(fetched))
        } catch {
            end(errand, .failure(PlugboardError(.authenticationRefresh, error.reason)))
        }
    }

    private func end(_ errand: Errand, _ result: Result<SecretLife.Fetched, PlugboardError>) {
        errand.keeper.finish(errand.flight, result, at: host.now) { tell(result, errand) }
    }

    private func tell(_ result: Result<SecretLife.Fetched, PlugboardError>, _ errand: Errand) {
        let credential = errand.keeper.credential
        var details = Fields(["scheme": credential.scheme.name.lowercased(), "source": credential.source.name])
        switch result {
        case .success(let fetched):
            if let lifetime = fetched.lifetime { details["lifetime"] = lifetime.configured }
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

extension Credential.Source {
    /// A word for events and status.
    var name: String {
        switch self {
        case .text(.given): "given"
        case .text(.file): "file"
        case .text(.environment): "environment"
        case .command: "command"
        case .endpoint: "endpoint"
        }
    }
}
