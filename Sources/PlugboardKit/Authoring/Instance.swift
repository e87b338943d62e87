import CPlugboard
import PlugboardJSON
import Synchronization

/// The object that the kernel holds for a Swift plugin: its functions as closures without generics, and the code that
/// turns errors into faults.
///
/// The closures are made in an inlinable initializer, so that the compiler specializes them in the plugin's own module:
/// a call through generic code costs a microsecond.
@usableFromInline
final class Instance: Sendable {
    @usableFromInline typealias Hook = @Sendable (borrowing Exchange) throws -> BoxedVerdict?

    let host: PluginHost
    /// Equals `host.raw`.
    private let table: HostPointer
    /// Whether a hook has returned `.wait { … }` since the plugin was made.
    private let hasWorked = Atomic(false)
    let check: @Sendable (Attributes) throws -> Void
    let start: @Sendable () throws -> Void
    let service: @Sendable (String) -> UnsafeRawPointer?
    private let stop: @Sendable (Duration) async -> Void
    private let onRequest: Hook
    private let onResponse: Hook
    private let onFailure: Hook
    private let onClose: @Sendable (borrowing Exchange, TurnOutcome) -> Void
    private let onEvent: @Sendable (borrowing Event, borrowing Exchange?) -> Void
    private let command: @Sendable (String, JSONValue, Reply) -> Void

    @inlinable
    convenience init<P: PluginInstance>(_ plugin: P, host: PluginHost) {
        self.init(
            host: host, check: { try plugin.check($0) }, start: { try plugin.start() },
            service: { plugin.service($0) },
            stop: { await plugin.stop(within: $0) },
            onRequest: { try plugin.onRequest($0).boxed() }, onResponse: { try plugin.onResponse($0).boxed() },
            onFailure: { try plugin.onFailure($0).boxed() }, onClose: { plugin.onClose($0, $1) },
            onEvent: { plugin.onEvent($0, $1) }, command: { plugin.command($0, $1, $2) })
    }

    @usableFromInline
    init(
        host: PluginHost, check: @escaping @Sendable (Attributes) throws -> Void,
        start: @escaping @Sendable () throws -> Void,
        service: @escaping @Sendable (String) -> UnsafeRawPointer? = { _ in nil },
        stop: @escaping @Sendable (Duration) async -> Void,
        onRequest: @escaping Hook, onResponse: @escaping Hook, onFailure: @escaping Hook,
        onClose: @escaping @Sendable (borrowing Exchange, TurnOutcome) -> Void,
        onEvent: @escaping @Sendable (borrowing Event, borrowing Exchange?) -> Void,
        command: @escaping @Sendable (String, JSONValue, Reply) -> Void
    ) {
        self.host = host
        table = host.pointer
        self.check = check
        self.start = start
        self.service = service
        self.stop = stop
        self.onRequest = onRequest
        self.onResponse = onResponse
        self.onFailure = onFailure
        self.onClose = onClose
        self.onEvent = onEvent
        self.command = command
    }

    func onRequest(_ exchange: OpaquePointer) -> UInt32 { visit(exchange, onRequest, .request) }
    func onResponse(_ exchange: OpaquePointer) -> UInt32 { visit(exchange, onResponse, .response) }
    func onFailure(_ exchange: OpaquePointer) -> UInt32 { visit(exchange, onFailure, .other) }

    func onClose(_ exchange: OpaquePointer, _ outcome: UInt32) {
        withRefusal("onClose") { refusal in
            let exchange = Exchange(
                raw: exchange, instance: self, host: table.raw, refusal: refusal, stage: .other)
            onClose(exchange, TurnOutcome(rawValue: outcome) ?? .failed)
        }
    }

    // If this is inlined, the optimizer of Swift 6.3.1 aborts.
    @inline(never)
    func onEvent(_ exchange: OpaquePointer?, _ event: OpaquePointer) {
        withRefusal("onEvent") { refusal in
            let event = Event(event, host: table.raw, refusal: refusal)
            if let exchange {
                onEvent(
                    event,
                    Exchange(raw: exchange, instance: self, host: table.raw, refusal: refusal, stage: .other))
            } else {
                onEvent(event, nil)
            }
        }
    }

    /// Calls a hook that cannot edit anything. Edits that the kernel refuses are logged.
    private func withRefusal(_ hook: StaticString, _ call: (UnsafeMutablePointer<String?>) -> Void) {
        var refusal: String?
        withUnsafeMutablePointer(to: &refusal, call)
        if let refusal { host.log(.error, "at fault in \(hook): \(refusal).") }
    }

    /// Ends the plugin's tasks, then calls its `stop` on this thread, which may block. At the deadline `stop` is
    /// cancelled. Returns when `stop` has ended.
    func stop(within limit: Duration) {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        let tasks = host.tasks
        tasks.cancel()
        if !tasks.isEmpty, !CallingThread.run(within: limit, { await tasks.finish() }) {
            host.log(.warning, "A task of the plugin did not end within \(DurationText(limit)) after it was cancelled.")
        }
        let rest = max(clock.now.duration(to: deadline), .zero)
        // Returns only after the plugin's `stop`. If that is late, the kernel names the plugin in its log and does not
        // destroy it.
        CallingThread.run(cancellingAfter: rest) { [stop] in await stop(rest) }
    }

    func command(_ name: String, _ arguments: String, _ reply: plug_reply) {
        let reply = Reply(number: reply, host: host)
        do {
            command(name, try JSONParser.parse(arguments), reply)
        } catch {
            reply.fail(PlugboardError(.commandFailed, "The arguments of \(name) are not JSON: \(error)"))
        }
    }

    // MARK: From Swift verdicts to C ones

    @inline(__always)
    private func visit(_ raw: OpaquePointer, _ hook: Hook, _ stage: Exchange.Stage) -> UInt32 {
        var refusal: String?
        return withUnsafeMutablePointer(to: &refusal) { refusal in
            let exchange = Exchange(raw: raw, instance: self, host: table.raw, refusal: refusal, stage: stage)
            do {
                if hasWorked.load(ordering: .relaxed), let work = try finishedWork(exchange) {
                    return end(try work(exchange), exchange)
                }
                let boxed = try hook(exchange)
                // The most frequent case.
                if boxed == nil, refusal.pointee == nil { return PLUG_VERDICT_NEXT }
                return end(boxed?.payload ?? .next, exchange)
            } catch {
                return withText(describe(error)) { exchange.host.pointee.fault(raw, $0) }
            }
        }
    }

    @inline(never)
    private func end(_ payload: VerdictPayload, _ exchange: borrowing Exchange) -> UInt32 {
        if let refused = exchange.refusal.pointee {
            return withText(refused) { [raw = exchange.raw] in table.raw.pointee.fault(raw, $0) }
        }
        return carry(payload, exchange)
    }

    /// The decision of `.wait { … }`, if the hook runs because of it. Nil means that the plugin's hook is called.
    @inline(never)
    private func finishedWork(_ exchange: borrowing Exchange) throws -> PendingWork.Decision? {
        let visit = exchange.visit
        guard visit == .woken || visit == .deadline, let slot = exchange.slot(makingOne: false),
            let work = slot.work
        else { return nil }
        slot.work = nil
        return visit == .woken ? try work.decision() : nil
    }

    private func carry(_ payload: VerdictPayload, _ exchange: borrowing Exchange) -> UInt32 {
        let table = exchange.host
        switch payload {
        case .next: return PLUG_VERDICT_NEXT
        case .respond(let head, let body):
            let body = body.map { ExportedSource.make($0.source, host: host) } ?? nil
            return withCFields(head.fields) { [raw = exchange.raw] fields, count in
                table.pointee.respond(raw, UInt32(clamping: head.status), fields, count, body)
            }
        case .respondWith(let subResponse): return table.pointee.respond_with(exchange.raw, subResponse.raw)
        case .resend(let delay): return table.pointee.resend(exchange.raw, delay.nanoseconds)
        case .hold(let limit): return table.pointee.hold(exchange.raw, UInt64(limit.bytes))
        case .wait: return PLUG_VERDICT_WAIT
        case .work(let limit, let work):
            // Set before the work can wake the exchange, on any loop.
            hasWorked.store(true, ordering: .releasing)
            let ticket = exchange.ticket(within: limit)
            exchange.slot(makingOne: true)?.work = PendingWork(work, waking: ticket)
            return PLUG_VERDICT_WAIT
        case .fail(let error):
            return withText(error.code.name) { code in
                withText(error.reason) { [raw = exchange.raw] in table.pointee.fail(raw, code, $0) }
            }
        }
    }
}

/// An error of the plugin's own as a sentence.
func describe(_ error: any Error) -> String {
    (error as? PlugboardError)?.reason ?? "\(error)"
}
