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
    case ended(EndedAttempt)
    case bytes(TransferProgress)
    /// The plugin in that slot sends the request again.
    case resend(by: Int, after: Duration)
    case outcome(TurnOutcome)
    /// The head that has come; valid as long as the event.
    case head(UnsafePointer<ResponseHead>)

    /// The times of an attempt that has ended, and the code of the error that ended it.
    struct EndedAttempt {
        let timings: Timings
        let number: Int
        let code: PlugboardError.Code?
    }

    /// The head that the event is about.
    var head: ResponseHead? { if case .head(let head) = self { head.pointee } else { nil } }

    /// All details of an event of this exchange.
    static func details(in facts: UnsafePointer<EventFacts>, of exchange: ExchangeCore) -> EventNode.Details {
        var reader = DetailReader(nil)
        read(facts, &reader, exchange)
        return reader.all
    }

    /// The detail with this name, or nil if the event has no such detail.
    static func detail(
        _ name: UnsafeRawBufferPointer, in facts: UnsafePointer<EventFacts>, of exchange: ExchangeCore
    ) -> ObservedEvent.Detail? {
        var reader = DetailReader(name)
        read(facts, &reader, exchange)
        return reader.found
    }

    private static func read(
        _ facts: UnsafePointer<EventFacts>, _ reader: inout DetailReader, _ exchange: ExchangeCore
    ) {
        switch facts.pointee {
        case .nothing: break
        case .head(let head): reader.text("version", head.pointee.version.rawValue)
        case .provenance:
            reader.text("by", exchange.family.sender.map { exchange.pipeline.slots[$0].id })
            reader.integer("for", exchange.family.parentNumber.map { Int(clamping: $0) })
            reader.text("respondedBy", exchange.responder?.id)
            reader.text(
                "respondedWith",
                exchange.responder != nil && exchange.response?.isOfSubRequest == true ? "subRequest" : nil)
        case .attempt:
            reader.integer("attempt", exchange.attempts.count)
            reader.text("reason", exchange.attempts.reason)
            reader.text("method", exchange.request.head.method.name)
            reader.text("url", Printable.url(exchange.attempts.sentURL ?? exchange.request.head.url))
            reader.integer("waited", Int(exchange.loop.now - exchange.attempts.asked))
        case .ended(let attempt):
            reader.integer("attempt", attempt.number)
            reader.integer("nameLookup", Int(attempt.timings.nameLookup.nanoseconds))
            reader.integer("connect", Int(attempt.timings.connect.nanoseconds))
            reader.integer("tls", Int(attempt.timings.tls.nanoseconds))
            reader.integer("firstByte", Int(attempt.timings.firstByte.nanoseconds))
            reader.integer("total", Int(attempt.timings.total.nanoseconds))
            reader.text("code", attempt.code?.name)
            guard let connection = attempt.timings.connection else { return }
            if !connection.facts.remote.isEmpty {
                reader.text("address", connection.facts.remote)
                reader.integer("port", connection.facts.remotePort)
                reader.text("localAddress", connection.facts.local)
                reader.integer("localPort", connection.facts.localPort)
            }
            reader.integer("requestSize", connection.facts.requestSize)
            reader.integer("connectStatus", connection.facts.connectStatus)
            reader.integer("verifyResult", connection.facts.verifyResult)
        case .bytes(let progress):
            reader.integer("sent", progress.sent)
            reader.integer("received", progress.received)
            reader.integer("toSend", progress.toSend)
            reader.integer("toReceive", progress.toReceive)
        case .resend(let slot, let delay):
            reader.text("by", exchange.pipeline.slots[slot].id)
            reader.integer("after", Int(delay.nanoseconds))
            reader.integer("attempt", exchange.attempts.count)
        case .outcome(let outcome):
            reader.text("outcome", "\(outcome)")
            reader.integer("attempts", exchange.attempts.count)
        }
    }
}

/// Takes the details of an event: all, or the one of a name, so that no other is made.
private struct DetailReader {
    private let name: UnsafeRawBufferPointer?
    private(set) var all: EventNode.Details = []
    private(set) var found: ObservedEvent.Detail?

    init(_ name: UnsafeRawBufferPointer?) { self.name = name }

    /// A detail whose value is nil is left out.
    @inline(__always)
    mutating func text(_ name: StaticString, _ value: @autoclosure () -> String?) {
        if isWanted(name), let value = value() { take(name, .text(value)) }
    }

    @inline(__always)
    mutating func integer(_ name: StaticString, _ value: @autoclosure () -> Int?) {
        if isWanted(name), let value = value() { take(name, .integer(Int64(value))) }
    }

    private mutating func take(_ name: StaticString, _ value: ObservedEvent.Detail) {
        if self.name == nil { all.append((name.description, value)) } else { found = value }
    }

    @inline(__always)
    private func isWanted(_ name: StaticString) -> Bool {
        guard let wanted = self.name else { return true }
        return wanted.count == name.utf8CodeUnitCount
            && wanted.elementsEqual(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
}
