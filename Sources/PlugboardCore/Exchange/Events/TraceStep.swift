import PlugboardBorder

/// One thing that happened in a traced exchange, or in a sub-request that it led to.
public struct TraceStep: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// A sub-request is about to begin; the first step of its exchange.
        case subRequest(TracedSubRequest)
        /// A hook was called; the step comes when it has returned.
        case call(HookCall)
        /// An event, as `watch` gets it.
        case event(ObservedEvent)
    }

    /// 0 is the request that is traced; its sub-requests, and theirs, are counted from 1 in the order in which they
    /// begin.
    public let exchange: Int
    /// What happened.
    public let kind: Kind

    /// The call of a hook, if it was one.
    public var call: HookCall? { if case .call(let call) = kind { call } else { nil } }
}

extension TraceStep: CustomStringConvertible {
    /// One line: `exchange 0: cache.onRequest: respond 304`.
    public var description: String {
        let what =
            switch kind {
            case .subRequest(let request):
                "\(request.plugin) sends \(request.method.name) \(request.url) for exchange \(request.parent)"
            case .call(let call): "\(call.plugin).\(call.hook): \(call.verdict)"
            case .event(let event): "event \(Printable.text(event.id))"
            }
        return "exchange \(exchange): \(what)"
    }
}

/// A sub-request of a traced exchange: which plugin sent it, and for which exchange.
public struct TracedSubRequest: Sendable, Equatable {
    /// The number, in this trace, of the exchange that it is for. If the plugin sends it for no single exchange, the
    /// number of one that waits for it.
    public let parent: Int
    /// The plugin that sent it.
    public let plugin: String
    /// The number of that plugin's last call in the exchange before it asked; nil if it was not called yet.
    public let call: Int?
    /// The request's method.
    public let method: Method
    /// The request's URL, without the user and without the values of its query.
    public let url: String
    /// Whether it continues when the exchange that it is for has ended.
    public let isDetached: Bool
}

/// Collects the steps of one traced exchange.
///
/// Sendable because it is touched on the exchange's loop only.
final class ExchangeTrace: @unchecked Sendable {
    /// What all exchanges of one trace share.
    private final class Trace {
        let add: @Sendable (TraceStep) -> Void
        var lastExchange = 0
        var lastCall = 0

        init(_ add: @escaping @Sendable (TraceStep) -> Void) { self.add = add }
    }

    private let trace: Trace
    private let exchange: Int
    /// The number of each plugin's last call, by its slot.
    private var calls: [Int: Int] = [:]

    /// The trace of the exchange that a program traces.
    init(_ add: @escaping @Sendable (TraceStep) -> Void) {
        trace = Trace(add)
        exchange = 0
    }

    private init(_ trace: Trace) {
        self.trace = trace
        trace.lastExchange += 1
        exchange = trace.lastExchange
    }

    /// The number of the call of a slot's hook that begins now.
    func nextCall(of slot: Slot) -> Int {
        trace.lastCall += 1
        calls[slot.index] = trace.lastCall
        return trace.lastCall
    }

    /// Adds the step of a sub-request that the plugin of that slot sends.
    ///
    /// - Returns: The trace of the sub-request's exchange.
    func beginSubRequest(_ request: Request, by slot: Int, _ plugin: String, isDetached: Bool) -> ExchangeTrace {
        let next = ExchangeTrace(trace)
        next.add(
            .subRequest(
                TracedSubRequest(
                    parent: exchange, plugin: plugin, call: calls[slot], method: request.method,
                    url: Printable.url(request.url), isDetached: isDetached)))
        return next
    }

    func add(_ kind: TraceStep.Kind) { trace.add(TraceStep(exchange: exchange, kind: kind)) }
}

extension UnderWayExchanges {
    /// The trace for a sub-request that a plugin sends for no single exchange, such as one for a token that many share:
    /// the trace of an exchange that waits for that plugin.
    func trace(waitingFor slot: Int) -> ExchangeTrace? {
        guard tracedCount > 0 else { return nil }
        return all.first { $0.trace != nil && $0.parking?.ticket != nil && $0.waitingSlot?.index == slot }?.trace
    }
}
