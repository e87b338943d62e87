import Plugboard
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What happened to one request: calls of hooks, attempts and facts in the order in which they came.
struct Explanation: Sendable {
    /// Times are nanoseconds since the request was handed to the kernel.
    enum Step: Sendable {
        case call(HookCall, at: Int64)
        case attemptBegan(number: Int64, at: Int64)
        /// The steps' times are counted from the attempt's beginning; zero for what it did not do.
        case attemptEnded(number: Int64, at: Int64, steps: [(name: String, nanoseconds: Int64)])
        /// An event; the details hold no secrets.
        case fact(String, at: Int64, details: [String: EventDetail], status: Int?)

        var isAttempt: Bool {
            switch self {
            case .attemptBegan, .attemptEnded: true
            case .call, .fact: false
            }
        }

        var at: Int64 {
            switch self {
            case .call(_, let at), .attemptBegan(_, let at), .attemptEnded(_, let at, _), .fact(_, let at, _, _): at
            }
        }
    }

    /// An attribute that speaks to a plugin of the chain.
    struct Attribute: Sendable {
        let name: String
        /// Nil for a secret one.
        let value: String?
        /// Whether the request says it, or the configuration for its origin.
        let isOfOrigin: Bool
    }

    let method: String
    /// Without user and values of its query.
    let url: String
    let plugins: [EnabledPlugin]
    let attributes: [Attribute]
    fileprivate(set) var steps: [Step] = []
    fileprivate(set) var status: Int?
    fileprivate(set) var bodyLength = 0
    fileprivate(set) var took: Int64 = 0
    fileprivate(set) var failure: PlugboardError?
    /// Whether it was stopped on purpose, before its first attempt.
    fileprivate(set) var wasNotSent = false

    /// Sends the request, reads the whole answer, and drops it.
    static func observe(
        _ request: Request, _ kernel: Kernel, _ configuration: Configuration, dryRun: DryTransport?
    ) async -> Explanation {
        let observation = Observation()
        let reached = AsyncStream<Void>.makeStream()
        let exchange = kernel.begin(request) { event in
            observation.hear(event)
            guard let dryRun, event.kernelEvent == .attemptBegan else { return }
            dryRun.keepSilent()
            reached.continuation.yield()
        } trace: {
            observation.hear($0)
        }
        let stopping = Task {
            for await _ in reached.stream {
                exchange.cancel()
                return true
            }
            return false
        }
        var explanation = Explanation(
            method: request.method.name, url: redacted(url: request.url), plugins: kernel.plugins,
            attributes: attributes(of: request, kernel.plugins, configuration))
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
        // A call is told when it is over, and what it published before that.
        explanation.steps = observation.steps.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
        if explanation.wasNotSent { explanation.steps.removeAll(where: \.isAttempt) }
        return explanation
    }

    private static func attributes(
        of request: Request, _ plugins: [EnabledPlugin], _ configuration: Configuration
    ) -> [Attribute] {
        let ofOrigin = Origin(url: request.url).flatMap { configuration.origins[$0] } ?? Attributes()
        return plugins.flatMap { plugin in
            plugin.descriptor.attributes.compactMap { option in
                let name = "\(plugin.id).\(option.name)"
                let own = request.attributes[name]
                guard let value = own ?? ofOrigin[name] else { return nil }
                return Attribute(name: name, value: option.isSecret ? nil : value, isOfOrigin: own == nil)
            }
        }
    }
}

/// Gathers the steps. Hears on the loop, and is asked when the exchange is over.
private final class Observation: Sendable {
    private let began = Observation.clock()
    private let gathered = Mutex<[Explanation.Step]>([])

    var steps: [Explanation.Step] { gathered.withLock { $0 } }
    var now: Int64 { Observation.clock() - began }

    func hear(_ call: HookCall) { add(.call(call, at: call.began - began)) }

    func hear(_ event: ExchangeEvent) {
        switch event.kernelEvent {
        case .attemptBegan: add(.attemptBegan(number: event.integer("attempt") ?? 0, at: now))
        case .attemptEnded:
            let steps = ["nameLookup", "connect", "tls", "firstByte", "total"].map { ($0, event.integer($0) ?? 0) }
            add(.attemptEnded(number: event.integer("attempt") ?? 0, at: now, steps: steps))
        case .interim, .headReceived, .resendScheduled, .pluginFaulted, .pluginDisabled, nil:
            add(.fact(event.id, at: now, details: event.details, status: event.head?.status))
        default: break
        }
    }

    private func add(_ step: Explanation.Step) { gathered.withLock { $0.append(step) } }

    private static func clock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
