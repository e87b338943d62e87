import PlugboardBorder
import PlugboardTransport

/// The facts of one of the kernel's events about its exchange.
///
/// The event's details are made of it when a plugin or the program asks for them, because most plugins ignore most
/// events. An event that is ignored costs no more than this value.
enum EventFacts {
    case nothing
    /// Where the exchange comes from: which plugin sent a sub-request and for which exchange, and which plugin
    /// responded.
    case provenance
    /// The attempt that begins.
    case attempt
    /// The times of the attempt of that number, which has ended, and the code of the error that ended it.
    case times(Timings, ofAttempt: Int, PlugboardError.Code?)
    case bytes(TransferProgress)
    /// The plugin in that slot sends the request again.
    case resend(by: Int, after: Duration)
    case outcome(TurnOutcome)
    /// The head that has come; valid as long as the event.
    case head(UnsafePointer<ResponseHead>)

    /// The head that the event is about.
    var head: ResponseHead? { if case .head(let head) = self { head.pointee } else { nil } }

    /// The details of an event of this exchange.
    func details(of exchange: ExchangeCore) -> EventNode.Details {
        switch self {
        case .nothing: return []
        case .head(let head): return [("version", .text(head.pointee.version.rawValue))]
        case .provenance: return exchange.provenance
        case .attempt:
            return [
                ("attempt", .integer(Int64(exchange.attempts.count))), ("reason", .text(exchange.attempts.reason)),
                ("method", .text(exchange.request.head.method.name)),
                ("url", .text(Printable.url(exchange.attempts.sentURL ?? exchange.request.head.url))),
                ("waited", .integer(exchange.loop.now - exchange.attempts.asked)),
            ]
        case .times(let timings, let attempt, let code):
            var details: EventNode.Details = [
                ("attempt", .integer(Int64(attempt))), ("nameLookup", .integer(timings.nameLookup.nanoseconds)),
                ("connect", .integer(timings.connect.nanoseconds)), ("tls", .integer(timings.tls.nanoseconds)),
                ("firstByte", .integer(timings.firstByte.nanoseconds)), ("total", .integer(timings.total.nanoseconds)),
            ]
            if let code { details.append(("code", .text(code.name))) }
            guard let connection = timings.connection?.facts else { return details }
            return details + [
                ("address", .text(connection.remote)), ("port", .integer(Int64(connection.remotePort))),
                ("localAddress", .text(connection.local)), ("localPort", .integer(Int64(connection.localPort))),
                ("requestSize", .integer(Int64(connection.requestSize))),
                ("connectStatus", .integer(Int64(connection.connectStatus))),
                ("verifyResult", .integer(Int64(connection.verifyResult))),
            ]
        case .bytes(let progress):
            let counts: [(String, Int?)] = [
                ("sent", progress.sent), ("received", progress.received), ("toSend", progress.toSend),
                ("toReceive", progress.toReceive),
            ]
            return counts.compactMap { name, count in count.map { (name, .integer(Int64($0))) } }
        case .resend(let slot, let delay):
            return [
                ("by", .text(exchange.pipeline.slots[slot].id)), ("after", .integer(delay.nanoseconds)),
                ("attempt", .integer(Int64(exchange.attempts.count))),
            ]
        case .outcome(let outcome):
            return [("outcome", .text("\(outcome)")), ("attempts", .integer(Int64(exchange.attempts.count)))]
        }
    }
}

extension ExchangeCore {
    fileprivate var provenance: EventNode.Details {
        var provenance: EventNode.Details = []
        if let sender = family.sender { provenance.append(("by", .text(pipeline.slots[sender].id))) }
        if let parentNumber = family.parentNumber {
            provenance.append(("for", .integer(Int64(clamping: parentNumber))))
        }
        if let responder {
            provenance.append(("respondedBy", .text(responder.id)))
            if response?.isOfSubRequest == true { provenance.append(("respondedWith", .text("subRequest"))) }
        }
        return provenance
    }
}
