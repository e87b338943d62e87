import PlugboardKit

/// Sub-requests: sends a second request where the first has no response in time, and responds with the first response.
struct Hedge: Plugin {
    static let manifest = Manifest(
        id: "com.example.hedge", version: "1.0.0", documentation: "Sends a second request for slow ones.",
        priority: 690, hooks: [.request])

    struct Settings: PluginSettings {
        @Setting("How long a request has for its response before a second one is sent.")
        var patience = Duration.milliseconds(200)
    }
    let settings: Settings
    let host: PluginHost

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        // Safe methods only, because they may reach the server twice. No bodies, because a body is read only once.
        var hasBody = false
        exchange.wrapRequestBody { body in
            hasBody = true
            return body
        }
        guard exchange.request.method.isSafe, !hasBody else { return .next }
        let (request, id) = (exchange.requestCopy, exchange.id)
        return .wait {
            let result = await first(of: request, for: id)
            return { _ in
                switch result {
                case .success(let response): .respond(with: response)
                case .failure(let error): .fail(error)
                }
            }
        }
    }

    /// The first response, or the last failure. The other running request is cancelled.
    private func first(of request: Request, for id: UInt64) async -> Result<SubResponse, PlugboardError> {
        await withTaskGroup { group in
            for delay in [Duration.zero, settings.patience] {
                group.addTask { () async -> Result<SubResponse, PlugboardError> in
                    if delay > .zero { try? await host.sleep(for: delay) }
                    do throws(PlugboardError) {
                        return .success(try await host.send(request, for: id))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            var outcome = Result<SubResponse, PlugboardError>.failure(PlugboardError(.cancelled, "Nothing was sent."))
            while case .failure = outcome, let next = await group.next() { outcome = next }
            group.cancelAll()
            return outcome
        }
    }
}
