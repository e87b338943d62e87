#if AllPackages || Metrics
    import CoreMetrics
    import PlugboardCore
    import Synchronization

    /// The metrics of attempts, of the events that tell of them. [any]
    final class RequestMetrics: Sendable {
        /// The methods of OpenTelemetry's conventions; all others count as `_OTHER`.
        private static let methods: Set<String> = [
            "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE", "QUERY",
        ]
        /// Servers and programs decide how many dimensions there are.
        private static let limit = 2000

        private struct Attempt {
            let method: String
            let origin: Origin?
            let began = ContinuousClock.now
            var status: Int?
        }

        private struct State {
            /// By exchanges.
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
                if let status = event.head?.status { state.withLock { $0.attempts[exchange.id]?.status = status } }
            case .attemptEnded: ended(exchange, took: event.integer("total") ?? 0)
            default: break
            }
        }

        private func began(_ exchange: ObservedExchange) {
            let name = exchange.method.name
            let method = RequestMetrics.methods.contains(name) ? name : "_OTHER"
            let attempt = Attempt(method: method, origin: Origin(url: exchange.url))
            state.withLock { $0.attempts[exchange.id] = attempt }
            meter(attempt)?.increment(by: 1)
        }

        private func ended(_ exchange: ObservedExchange, took: Int) {
            guard let attempt = state.withLock({ $0.attempts.removeValue(forKey: exchange.id) }) else { return }
            meter(attempt)?.decrement(by: 1)
            var dimensions = server(attempt)
            if let status = attempt.status { dimensions.append(("http.response.status_code", "\(status)")) }
            if attempt.status ?? 0 >= 400 {
                dimensions.append(("error.type", "\(attempt.status ?? 0)"))
            } else if attempt.status == nil {
                dimensions.append(("error.type", exchange.error?.name ?? "transport"))
            }
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
            var dimensions = [("http.request.method", attempt.method)]
            guard let origin = attempt.origin else { return dimensions }
            dimensions.append(("server.address", origin.host))
            dimensions.append(("server.port", "\(origin.port)"))
            return dimensions
        }
    }
#endif
