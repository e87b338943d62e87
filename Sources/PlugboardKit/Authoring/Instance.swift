import CPlugboard
import JSON

/// What the kernel holds as `self` of a Swift plugin: the plugin behind calls that are not generic, and the barrier
/// that turns its errors into faults.
class Instance {
    let host: Host

    init(host: Host) { self.host = host }

    func start() throws {}
    func stop(within: Duration) {}
    func onRequest(_ exchange: OpaquePointer) -> UInt32 { PLUG_NEXT }
    func onResponse(_ exchange: OpaquePointer) -> UInt32 { PLUG_NEXT }
    func onFailure(_ exchange: OpaquePointer) -> UInt32 { PLUG_NEXT }
    func onClose(_ exchange: OpaquePointer, _ outcome: UInt32) {}
    func onEvent(_ exchange: OpaquePointer?, _ event: OpaquePointer) {}
    func command(_ name: String, _ arguments: String, _ reply: plug_reply) {}
}

final class PluginInstance<P: Plugin>: Instance {
    private let plugin: P

    init(_ plugin: P, host: Host) {
        self.plugin = plugin
        super.init(host: host)
    }

    override func start() throws { try plugin.start() }
    override func stop(within: Duration) { plugin.stop(within: within) }

    override func onRequest(_ exchange: OpaquePointer) -> UInt32 {
        visit(exchange) { exchange throws -> RequestVerdict in try plugin.onRequest(exchange) }
    }

    override func onResponse(_ exchange: OpaquePointer) -> UInt32 {
        visit(exchange) { exchange throws -> ResponseVerdict in try plugin.onResponse(exchange) }
    }

    override func onFailure(_ exchange: OpaquePointer) -> UInt32 {
        visit(exchange) { exchange throws -> FailureVerdict in try plugin.onFailure(exchange) }
    }

    override func onClose(_ exchange: OpaquePointer, _ outcome: UInt32) {
        plugin.onClose(Exchange(raw: exchange, instance: self), Outcome(rawValue: outcome) ?? .failed)
    }

    override func onEvent(_ exchange: OpaquePointer?, _ event: OpaquePointer) {
        let event = Event(raw: event, host: host.raw)
        if let exchange {
            plugin.onEvent(event, Exchange(raw: exchange, instance: self))
        } else {
            plugin.onEvent(event, nil)
        }
    }

    override func command(_ name: String, _ arguments: String, _ reply: plug_reply) {
        let reply = Reply(number: reply, host: host)
        do {
            plugin.command(name, try JSONParser.parse(arguments), reply)
        } catch {
            reply.fail(PlugboardError("plugin.command", "The arguments of \(name) are not JSON: \(error)"))
        }
    }

    // MARK: From Swift verdicts to C ones

    private func visit<Phase>(
        _ raw: OpaquePointer, _ hook: (borrowing Exchange) throws -> Verdict<Phase>
    ) -> UInt32 {
        let exchange = Exchange(raw: raw, instance: self)
        do {
            let verdict = try finishedWork(exchange, Phase.self).map { try $0(exchange) } ?? hook(exchange)
            return carry(verdict, exchange)
        } catch {
            return withText(describe(error)) { exchange.host.pointee.fault(raw, $0) }
        }
    }

    /// The decision of `.wait { … }`, when that is why the hook runs; nil lets the plugin's hook run.
    private func finishedWork<Phase>(
        _ exchange: borrowing Exchange, _: Phase.Type
    ) throws -> Verdict<Phase>.Decision? {
        let visit = exchange.visit
        guard visit == .woken || visit == .deadline, let slot = exchange.slot(makingOne: false),
            let work = slot.work as? PendingWork<Phase>
        else { return nil }
        slot.work = nil
        return visit == .woken ? try work.decision() : nil
    }

    private func carry<Phase>(_ verdict: Verdict<Phase>, _ exchange: borrowing Exchange) -> UInt32 {
        let table = exchange.host.pointee
        switch verdict.payload {
        case .next: return PLUG_NEXT
        case .respond(let head, let body):
            let body = body.map { ExportedSource.make($0.source, host: host) } ?? nil
            return withCFields(head.fields) { [raw = exchange.raw] fields, count in
                table.respond(raw, UInt32(clamping: head.status), fields, count, body)
            }
        case .respondWith(let answer): return table.respond_with(exchange.raw, answer.raw)
        case .resend(let delay): return table.resend(exchange.raw, delay.nanoseconds)
        case .hold(let limit): return table.hold(exchange.raw, UInt64(limit.bytes))
        case .wait: return PLUG_WAIT
        case .work(let limit, let work):
            let ticket = exchange.ticket(within: limit)
            exchange.slot(makingOne: true)?.work = PendingWork(work, waking: ticket)
            return PLUG_WAIT
        case .fail(let error):
            return withText(error.code.name) { code in
                withText(error.reason) { [raw = exchange.raw] in table.fail(raw, code, $0) }
            }
        }
    }
}

/// An error of the plugin's own as a sentence.
func describe(_ error: any Error) -> String {
    (error as? PlugboardError)?.reason ?? "\(error)"
}
