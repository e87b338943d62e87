#if AllPackages || Tracing
    import PlugboardCore
    import PlugboardKit
    import PlugboardObserving
    import Tracing

    /// A span of swift-distributed-tracing for each attempt, by OpenTelemetry's conventions for HTTP clients.
    ///
    /// It stands just inside of what sends requests again. The context that the request carries is the parent of its
    /// first attempt's span and of all others; the span's own context is written into the fields of the attempt.
    struct AttemptTracing: PluginInstance {
        static let manifest = Manifest(
            id: "tracing", version: "1.0.0",
            documentation: "Makes a span of swift-distributed-tracing for each attempt.",
            priority: 891, hooks: [.request, .response, .close, .event],
            // A milestone, because addresses are told only where some are listened to.
            events: ["headReceived", "connected", "attemptEnded"])

        let tracer: any Tracer

        /// What the attempts of one exchange have in common.
        private final class Trace {
            let parent: ServiceContext
            var attempts = 0
            init(_ parent: ServiceContext) { self.parent = parent }
        }

        func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
            let request = exchange.request
            let trace = exchange.state as? Trace ?? Trace(context(of: request.fields))
            exchange.state = trace
            let attempt = Attempt(
                AttemptFacts(
                    method: request.method.name, url: Printable.url(request.url), resends: trace.attempts),
                tracer, trace.parent)
            trace.attempts += 1
            exchange.turnState = attempt
            var fields = Fields()
            tracer.inject(attempt.span.context, into: &fields, using: FieldInjector())
            for field in fields { request[FieldName(field.name)] = field.value }
            return .next
        }

        func onResponse(_ exchange: borrowing Exchange) -> ResponseVerdict {
            if let attempt = exchange.turnState as? Attempt { attempt.facts.status = exchange.response?.status }
            return .next
        }

        func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
            let attempt: Attempt? =
                switch exchange {
                case .some(let exchange): exchange.turnState as? Attempt
                case .none: nil
                }
            guard let attempt else { return }
            if event.is("headReceived") {
                attempt.facts.version = event["version"]
            } else if event.is("attemptEnded") {
                attempt.facts.end(address: event["address"], port: event.integer("port"), code: event["code"])
            }
        }

        func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
            guard let attempt = exchange.turnState as? Attempt else { return }
            // A plugin may fail what the network has not failed.
            if let failure = exchange.failure { attempt.facts.failure = failure.code.name }
            attempt.end(isCancelled: outcome == .cancelled)
        }

        private final class Attempt {
            var facts: AttemptFacts
            let span: any Span

            /// A sampler sees the attributes that are known at the start.
            init(_ facts: AttemptFacts, _ tracer: any Tracer, _ parent: ServiceContext) {
                self.facts = facts
                span = tracer.startAnySpan(facts.name, context: parent, ofKind: .client)
                tell()
            }

            func end(isCancelled: Bool) {
                tell()
                // What the program has cancelled did not fail.
                if facts.errorType != nil, !isCancelled {
                    span.setStatus(SpanStatus(code: .error, message: facts.failure))
                }
                span.end()
            }

            private func tell() {
                let facts = facts.attributes
                span.updateAttributes { attributes in
                    for (name, value) in facts {
                        switch value {
                        case .text(let text): attributes[name] = text
                        case .integer(let number): attributes[name] = number
                        }
                    }
                }
            }
        }

        private func context(of fields: Fields) -> ServiceContext {
            var context = ServiceContext.topLevel
            tracer.extract(fields, into: &context, using: FieldExtractor())
            return context
        }
    }

    extension PluginEntry {
        /// A span for each attempt, by the tracer of the program (`InstrumentationSystem.bootstrap`).
        ///
        ///     let kernel = try Kernel(plugins: [.tracing, .retry], atSend: { $0.carryServiceContext() })
        public static var tracing: PluginEntry { .tracing(InstrumentationSystem.tracer) }

        /// A span for each attempt, by a tracer.
        public static func tracing(_ tracer: any Tracer) -> PluginEntry { .linked(AttemptTracing(tracer: tracer)) }
    }

    extension Request {
        /// Writes the current context into the request's fields, for `Kernel(atSend:)`: the current span is then the
        /// parent of the spans that the plugin `tracing` or `telemetry` makes. Without a context it does nothing.
        public mutating func carryServiceContext() { carryServiceContext(by: InstrumentationSystem.instrument) }

        /// Writes the current context into the request's fields as an instrument or tracer of the program writes it.
        public mutating func carryServiceContext(by instrument: any Instrument) {
            guard let context = ServiceContext.current else { return }
            instrument.inject(context, into: &fields, using: FieldInjector())
        }
    }

    private struct FieldInjector: Injector {
        func inject(_ value: String, forKey key: String, into fields: inout Fields) { fields[FieldName(key)] = value }
    }

    private struct FieldExtractor: Extractor {
        func extract(key: String, from fields: Fields) -> String? { fields[FieldName(key)] }
    }
#else
    #error("PlugboardTracing needs a trait of the package plugboard: .package(…, traits: [\"Tracing\"]).")
#endif
