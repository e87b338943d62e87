#if AllPackages || Tracing
    import PlugboardCore
    import PlugboardKit
    import Tracing

    /// A span of swift-distributed-tracing for each attempt, by OpenTelemetry's conventions for HTTP clients.
    ///
    /// It stands just inside of what sends requests again. The context that the request carries is the parent of its
    /// first attempt's span and of all others; the span's own context is written into the fields of the attempt.
    struct AttemptTracing: PluginInstance {
        static let manifest = Manifest(
            id: "tracing", version: "1.0.0",
            documentation: "Makes a span of swift-distributed-tracing for each attempt.",
            priority: 891, hooks: [.request, .response, .close])

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
            let span = start(tracer, request.method.name, trace.parent)
            let (method, url, resends) = (request.method.name, request.url, trace.attempts)
            span.updateAttributes { attributes in
                attributes["http.request.method"] = method
                attributes["url.full"] = Printable.url(url)
                if let origin = Origin(url: url) {
                    attributes["server.address"] = origin.host
                    attributes["server.port"] = Int(origin.port)
                }
                if resends > 0 { attributes["http.request.resend_count"] = resends }
            }
            trace.attempts += 1
            exchange.turnState = Attempt(span)
            var fields = Fields()
            tracer.inject(span.context, into: &fields, using: FieldInjector())
            for field in fields { request[FieldName(field.name)] = field.value }
            return .next
        }

        func onResponse(_ exchange: borrowing Exchange) -> ResponseVerdict {
            guard let attempt = exchange.turnState as? Attempt, let status = exchange.response?.status else {
                return .next
            }
            attempt.span.attributes["http.response.status_code"] = status
            if status >= 400 {
                attempt.span.attributes["error.type"] = "\(status)"
                attempt.span.setStatus(SpanStatus(code: .error))
            }
            return .next
        }

        func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
            guard let attempt = exchange.turnState as? Attempt else { return }
            if let failure = exchange.failure {
                attempt.span.attributes["error.type"] = failure.code.name
                // What the program has cancelled did not fail.
                if outcome != .cancelled {
                    attempt.span.setStatus(SpanStatus(code: .error, message: failure.code.name))
                }
            }
            attempt.span.end()
        }

        private final class Attempt {
            let span: any Span
            init(_ span: any Span) { self.span = span }
        }

        private func context(of fields: Fields) -> ServiceContext {
            var context = ServiceContext.topLevel
            tracer.extract(fields, into: &context, using: FieldExtractor())
            return context
        }

        private func start<Own: Tracer>(_ tracer: Own, _ name: String, _ parent: ServiceContext) -> any Span {
            tracer.startSpan(name, context: parent, ofKind: .client)
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
