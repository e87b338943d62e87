#if AllPackages || Metrics
    import CoreMetrics
    import PlugboardCore
    import PlugboardObserving
    import Synchronization

    /// The metrics of attempts, of the events that tell of them. [any]
    final class RequestMetrics: Sendable {
        static let events: Set<String> = ["attemptBegan", "headReceived", "attemptEnded"]
        /// Servers and programs decide how many dimensions there are.
        private static let limit = 2000

        private struct Attempt {
            var facts: AttemptFacts
            let began = ContinuousClock.now
        }

        private struct State {
            /// The attempts under way, by the number of their exchange.
            var attempts: [UInt64: Attempt] = [:]
            var timers: [[String]: CoreMetrics.Timer] = [:]
            var active: [[String]: Meter] = [:]
        }

        private let factory: any MetricsFactory
        private let state = Mutex(State())

        init(_ factory: any MetricsFactory) { self.factory = factory }

        func take(_ event: ObservedEvent, _ exchange: ObservedExchange) {
            switch event.kernelEvent {
            case .attemptBegan: began(exchange)
            case .headReceived:
                state.withLock { state in
                    state.attempts[exchange.id]?.facts.status = event.head?.status
                    state.attempts[exchange.id]?.facts.version = event["version"]
                }
            case .attemptEnded: ended(exchange, event)
            default: break
            }
        }

        private func began(_ exchange: ObservedExchange) {
            let attempt = Attempt(facts: AttemptFacts(method: exchange.method.name, url: exchange.url))
            state.withLock { $0.attempts[exchange.id] = attempt }
            meter(attempt)?.increment(by: 1)
        }

        private func ended(_ exchange: ObservedExchange, _ event: ObservedEvent) {
            guard var attempt = state.withLock({ $0.attempts.removeValue(forKey: exchange.id) }) else { return }
            meter(attempt)?.decrement(by: 1)
            attempt.facts.failure = event["code"]
            let took = event.integer("total") ?? 0
            var dimensions = server(attempt)
            if let status = attempt.facts.status { dimensions.append(("http.response.status_code", "\(status)")) }
            if let error = attempt.facts.errorType { dimensions.append(("error.type", error)) }
            if let version = attempt.facts.version { dimensions.append(("network.protocol.version", version)) }
            let key = dimensions.map(\.1)
            let timer = state.withLock { state -> CoreMetrics.Timer? in
                if let known = state.timers[key] { return known }
                guard state.timers.count < RequestMetrics.limit else { return nil }
                let timer = CoreMetrics.Timer(
                    label: "http.client.request.duration", dimensions: dimensions, factory: factory)
                state.timers[key] = timer
                return timer
            }
            // An attempt that was given up has no times of its own.
            timer?.recordNanoseconds(
                took > 0 ? Int64(took) : Int64((ContinuousClock.now - attempt.began) / .nanoseconds(1)))
        }

        private func meter(_ attempt: Attempt) -> Meter? {
            let dimensions = server(attempt)
            let key = dimensions.map(\.1)
            return state.withLock { state in
                if let known = state.active[key] { return known }
                guard state.active.count < RequestMetrics.limit else { return nil }
                let meter = Meter(label: "http.client.active_requests", dimensions: dimensions, factory: factory)
                state.active[key] = meter
                return meter
            }
        }

        private func server(_ attempt: Attempt) -> [(String, String)] {
            var dimensions = [("http.request.method", attempt.facts.knownMethod)]
            guard let origin = attempt.facts.origin else { return dimensions }
            dimensions.append(("server.address", origin.address))
            dimensions.append(("server.port", "\(origin.port)"))
            return dimensions
        }
    }
#endif
