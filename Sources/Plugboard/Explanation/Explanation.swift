import PlugboardCore
import PlugboardSystem
import Synchronization

/// What happened to one request and its sub-requests: calls of hooks, attempts and events, in the order in which they
/// began. Its description is the table that `plugboard explain` prints.
public struct Explanation: Sendable {
    /// One thing that happened.
    package struct Step: Sendable {
        package enum Kind: Sendable {
            /// A sub-request begins.
            case subRequest(TracedSubRequest)
            case call(HookCall)
            case attemptBegan(number: Int64)
            /// The end of an attempt. Times count from its beginning, and are zero for steps that did not happen. The
            /// last one is the whole attempt, which a resend may have ended early.
            case attemptEnded(number: Int64, steps: [(name: String, nanoseconds: Int64)])
            /// An event; the details hold no secrets.
            case fact(String, details: [String: ObservedEvent.Detail], status: Int?)
            /// A sub-request has ended.
            case completed(outcome: String, attempts: Int64)
        }

        /// 0 for the request; its sub-requests are counted from 1.
        package let exchange: Int
        /// Nanoseconds since the request was handed to the kernel.
        package let at: Int64
        package let kind: Kind

        fileprivate var isAttempt: Bool {
            switch kind {
            case .attemptBegan, .attemptEnded: true
            case .subRequest, .call, .fact, .completed: false
            }
        }
    }

    /// An attribute for an enabled plugin.
    package struct Attribute: Sendable {
        package let name: String
        /// Nil if it is secret.
        package let value: String?
        /// True if it comes from the configuration's section for the origin, false if it comes from the request.
        package let isOfOrigin: Bool
    }

    /// How a dry run ends the exchange before its first attempt.
    package typealias DryRun = @Sendable () -> Void

    package let method: String
    /// The URL without user, and without the values of its query.
    package let url: String
    package let plugins: [EnabledPlugin]
    package let attributes: [Attribute]
    package fileprivate(set) var steps: [Step] = []
    /// The response's status; nil if the exchange has failed before there was one.
    public fileprivate(set) var status: Int?
    /// The bytes of the response's body, which was read to its end and not stored.
    public fileprivate(set) var bodyLength = 0
    package fileprivate(set) var took: Int64 = 0
    /// Why the exchange has failed; nil if it has not.
    public fileprivate(set) var failure: PlugboardError?
    /// Whether it was a dry run, which stops before the first attempt.
    package fileprivate(set) var wasNotSent = false
    /// The plugin that failed the exchange because a dry run does not send its sub-request.
    package fileprivate(set) var dryPlugin: String?

    /// From the time at which the request was handed to the kernel to the end of the response's body.
    public var duration: Duration { .nanoseconds(took) }

    /// Sends the request, and reads the response without storing it.
    ///
    /// - Parameters:
    ///   - dryRun: Called on the loop right before the first attempt, which is then cancelled; nil sends the request.
    ///   - patience: How long the kernel waits for detached sub-requests at its shutdown; nil does not shut it down.
    package static func observe(
        _ request: Request, _ kernel: Kernel, dryRun: DryRun? = nil, shutDownWithin patience: Duration? = nil
    ) async -> Explanation {
        let observation = Observation()
        let reached = AsyncStream<Void>.makeStream()
        let exchange = kernel.begin(
            request,
            trace: { step in
                observation.hear(step)
                guard let dryRun, step.exchange == 0, case .event(let event) = step.kind,
                    event.kernelEvent == .attemptBegan
                else { return }
                dryRun()
                reached.continuation.yield()
            })
        let stopping = Task {
            for await _ in reached.stream {
                exchange.cancel()
                return true
            }
            return false
        }
        var explanation = Explanation(
            method: request.method.name, url: Printable.url(request.url), plugins: kernel.plugins,
            attributes: attributes(of: request, kernel))
        do throws(PlugboardError) {
            let response = try await exchange.response
            explanation.status = response.status
            for try await piece in response.body { explanation.bodyLength += piece.count }
        } catch {
            explanation.failure = error
        }
        reached.continuation.finish()
        if await stopping.value, explanation.failure?.code == .cancelled {
            explanation.failure = nil
            explanation.wasNotSent = true
        }
        explanation.took = observation.now
        if let patience { await kernel.shutDown(within: patience) }
        // A call is recorded at its end, after the events that it published.
        explanation.steps = observation.steps.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        if dryRun != nil { explanation.noteDryFailure() }
        if explanation.wasNotSent { explanation.steps.removeAll { $0.exchange == 0 && $0.isAttempt } }
        return explanation
    }

    private mutating func noteDryFailure() {
        guard let plugin = failure?.plugin else { return }
        let hasAsked = steps.contains { step in
            if case .subRequest(let request) = step.kind { request.plugin == plugin } else { false }
        }
        guard hasAsked else { return }
        dryPlugin = plugin
        wasNotSent = true
    }

    private static func attributes(of request: Request, _ kernel: Kernel) -> [Attribute] {
        let ofOrigin = kernel.attributes(ofOriginOf: request.url)
        return kernel.plugins.flatMap { plugin in
            plugin.descriptor.attributes.compactMap { option in
                let name = "\(plugin.id).\(option.name)"
                let own = request.attributes[name]
                guard let value = own ?? ofOrigin[name] else { return nil }
                return Attribute(name: name, value: option.isSecret ? nil : value, isOfOrigin: own == nil)
            }
        }
    }
}

extension Kernel {
    /// Sends a request, reads its response's body without storing it, and returns what happened, as `plugboard explain`
    /// shows it: which plugin decided what and when.
    ///
    ///     print(await kernel.explain(Request(.get, "https://example.com/")))
    ///
    /// A failure of the exchange is not thrown: it is in the explanation. Values of header fields and queries, and
    /// attributes that are secret, are not shown.
    public func explain(_ request: Request) async -> Explanation { await Explanation.observe(request, self) }
}

/// Collects the steps: on the loop while the exchange runs, read when it is over.
private final class Observation: Sendable {
    private let began = Observation.clock()
    private let gathered = Mutex<[Explanation.Step]>([])
    /// The beginnings of attempts in progress, by exchange and number.
    private let attempts = Mutex<[Int: [Int64: Int64]]>([:])

    var steps: [Explanation.Step] { gathered.withLock { $0 } }
    var now: Int64 { Observation.clock() - began }

    func hear(_ step: TraceStep) {
        guard let (kind, at) = look(at: step.kind, of: step.exchange) else { return }
        gathered.withLock { $0.append(Explanation.Step(exchange: step.exchange, at: at, kind: kind)) }
    }

    /// The step to record and its time; nil for events that are not shown.
    private func look(at kind: TraceStep.Kind, of exchange: Int) -> (Explanation.Step.Kind, at: Int64)? {
        switch kind {
        case .subRequest(let request): return (.subRequest(request), now)
        case .call(let call): return (.call(call), call.began - began)
        case .event(let event):
            let number = Int64(event.integer("attempt") ?? 0)
            switch event.kernelEvent {
            case .attemptBegan:
                let at = now
                attempts.withLock { $0[exchange, default: [:]][number] = at }
                return (.attemptBegan(number: number), at)
            case .attemptEnded:
                let at = now
                let whole = at - (attempts.withLock { $0[exchange]?.removeValue(forKey: number) } ?? at)
                let steps = ["nameLookup", "connect", "tls", "firstByte"].map { ($0, Int64(event.integer($0) ?? 0)) }
                return (.attemptEnded(number: number, steps: steps + [("total", whole)]), at)
            case .interim, .headReceived, .resendScheduled, .pluginFaulted, .pluginDisabled, nil:
                return (.fact(event.id, details: event.details, status: event.head?.status), now)
            case .completed where exchange > 0:
                let attempts = Int64(event.integer("attempts") ?? 0)
                return (.completed(outcome: event["outcome"] ?? "", attempts: attempts), now)
            default: return nil
            }
        }
    }

    private static func clock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
