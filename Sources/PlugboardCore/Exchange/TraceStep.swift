import PlugboardKit

/// One thing that happened in a traced exchange, or in a sub-request that it led to.
public struct TraceStep: Sendable {
    public enum Kind: Sendable {
        /// A sub-request is about to begin; the first step of its exchange.
        case asked(TracedSubRequest)
        /// A hook was called; told when it has returned.
        case called(HookCall)
        /// An event, as `watch` hears of it.
        case told(ExchangeEvent)
    }

    /// 0 is the request that is traced; its sub-requests, and theirs, are counted from 1 in the order in which they begin.
    public let exchange: Int
    public let kind: Kind

    /// The call of a hook, if it was one.
    public var call: HookCall? { if case .called(let call) = kind { call } else { nil } }
}

/// Who sent a sub-request, and what for.
public struct TracedSubRequest: Sendable, Equatable {
    /// The exchange that it is for, or that waits for what the plugin sends for nobody in particular.
    public let asker: Int
    /// The plugin that sent it.
    public let plugin: String
    /// The number of that plugin's last call in the exchange before it asked; nil if it was not called yet.
    public let call: Int?
    public let method: Method
    /// Without user and values of its query.
    public let url: String
    /// Whether it goes on when the exchange that it is for has ended.
    public let isDetached: Bool
}

/// Where the steps of one traced exchange go.
///
/// Sendable because it is touched on the exchange's loop only.
final class ExchangeTrace: @unchecked Sendable {
    /// What all exchanges of one trace share.
    private final class Trace {
        let tell: @Sendable (TraceStep) -> Void
        var lastExchange = 0
        var lastCall = 0

        init(_ tell: @escaping @Sendable (TraceStep) -> Void) { self.tell = tell }
    }

    private let trace: Trace
    private let exchange: Int
    /// The number of each plugin's last call, by its slot.
    private var calls: [Int: Int] = [:]

    /// Of the exchange that a program wants to be traced.
    init(_ tell: @escaping @Sendable (TraceStep) -> Void) {
        trace = Trace(tell)
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

    /// Tells of a sub-request that the plugin of that slot sends, and goes on with it.
    func beginSubRequest(_ request: Request, by slot: Int, _ plugin: String, isDetached: Bool) -> ExchangeTrace {
        let next = ExchangeTrace(trace)
        next.tell(
            .asked(
                TracedSubRequest(
                    asker: exchange, plugin: plugin, call: calls[slot], method: request.method,
                    url: redacted(url: request.url), isDetached: isDetached)))
        return next
    }

    func tell(_ kind: TraceStep.Kind) { trace.tell(TraceStep(exchange: exchange, kind: kind)) }
}

extension ExchangeCore {
    /// Tells a trace of this exchange's events and calls; before it begins.
    func trace(with trace: ExchangeTrace) {
        self.trace = trace
        // Events go where they are watched anyway, so that exchanges without a trace pay nothing for it.
        let watch = watch
        self.watch = { event in
            watch?(event)
            trace.tell(.told(event))
        }
    }
}

extension KernelCore {
    /// What a plugin sends for nobody in particular, such as a token that many share, is told to the trace of an exchange that
    /// waits for that plugin. [loop]
    func trace(waitingFor slot: Int) -> ExchangeTrace? {
        guard tracedCount > 0 else { return nil }
        return exchanges.first { $0.trace != nil && $0.isParked(at: slot) }?.trace
    }
}

extension ExchangeCore {
    fileprivate func isParked(at slot: Int) -> Bool {
        let slots = stage.slots(pipeline)
        return parking != nil && cursor < slots.count && slots[cursor].index == slot
    }
}
