import PlugboardBorder
import PlugboardTransport

/// The facts of one of the kernel's events about its exchange.
///
/// The event's details are made of it when a plugin or the program asks for them, because most plugins ignore most
/// events. An event that is ignored costs no more than this value, which holds nothing that is counted.
enum EventFacts {
    case nothing
    /// Where the exchange comes from: which plugin sent a sub-request and for which exchange, and which plugin
    /// responded.
    case provenance
    /// The attempt that begins.
    case attempt
    /// The attempt that has ended; valid as long as the event.
    case ended(UnsafePointer<EndedAttempt>)
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
    var head: UnsafePointer<ResponseHead>? { if case .head(let head) = self { head } else { nil } }

    /// All details of an event of this exchange.
    static func details(in facts: UnsafePointer<EventFacts>, of exchange: ExchangeCore) -> EventNode.Details {
        var reader = AllDetails()
        read(facts, &reader, exchange)
        return reader.all
    }

    /// The detail with this name as text, or nil if the event has no such detail.
    static func text(
        _ name: UnsafeRawBufferPointer, in facts: UnsafePointer<EventFacts>, of exchange: ExchangeCore
    ) -> String? {
        var reader = TextOfDetail(name: name)
        read(facts, &reader, exchange)
        return reader.found
    }

    /// The detail with this name as a number, or nil if the event has no such detail, or if it is no number.
    static func integer(
        _ name: UnsafeRawBufferPointer, in facts: UnsafePointer<EventFacts>, of exchange: ExchangeCore
    ) -> Int64? {
        var reader = NumberOfDetail(name: name)
        read(facts, &reader, exchange)
        return reader.found
    }

    private static func read<Reader: DetailReader>(
        _ facts: UnsafePointer<EventFacts>, _ reader: inout Reader, _ exchange: ExchangeCore
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
        case .ended(let ended):
            reader.integer("attempt", ended.pointee.number)
            reader.integer("nameLookup", Int(ended.pointee.timings.nameLookup.nanoseconds))
            reader.integer("connect", Int(ended.pointee.timings.connect.nanoseconds))
            reader.integer("tls", Int(ended.pointee.timings.tls.nanoseconds))
            reader.integer("firstByte", Int(ended.pointee.timings.firstByte.nanoseconds))
            reader.integer("total", Int(ended.pointee.timings.total.nanoseconds))
            reader.text("code", ended.pointee.code?.name)
            guard let connection = ended.pointee.timings.connection else { return }
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
            reader.text("outcome", outcome.name)
            reader.integer("attempts", exchange.attempts.count)
        }
    }
}

/// Takes the details of an event: all, or the one of a name, so that no other is made. A detail whose value is nil is
/// left out.
private protocol DetailReader {
    mutating func text(_ name: StaticString, _ value: @autoclosure () -> String?)
    mutating func integer(_ name: StaticString, _ value: @autoclosure () -> Int?)
}

private struct AllDetails: DetailReader {
    private(set) var all: EventNode.Details = []

    mutating func text(_ name: StaticString, _ value: @autoclosure () -> String?) {
        if let value = value() { all.append((name.description, .text(value))) }
    }

    mutating func integer(_ name: StaticString, _ value: @autoclosure () -> Int?) {
        if let value = value() { all.append((name.description, .integer(Int64(value)))) }
    }
}

// Readers of their own for texts and numbers, because most details are numbers, which need no memory.
private struct TextOfDetail: DetailReader {
    let name: UnsafeRawBufferPointer
    private(set) var found: String?

    init(name: UnsafeRawBufferPointer) { self.name = name }

    @inline(__always)
    mutating func text(_ name: StaticString, _ value: @autoclosure () -> String?) {
        if isEqual(name, self.name) { found = value() }
    }

    @inline(__always)
    mutating func integer(_ name: StaticString, _ value: @autoclosure () -> Int?) {
        if isEqual(name, self.name) { found = value().map { "\($0)" } }
    }
}

private struct NumberOfDetail: DetailReader {
    let name: UnsafeRawBufferPointer
    private(set) var found: Int64?

    init(name: UnsafeRawBufferPointer) { self.name = name }

    @inline(__always)
    mutating func text(_ name: StaticString, _ value: @autoclosure () -> String?) {
        if isEqual(name, self.name) { found = value().flatMap { Int64($0) } }
    }

    @inline(__always)
    mutating func integer(_ name: StaticString, _ value: @autoclosure () -> Int?) {
        if isEqual(name, self.name) { found = value().map { Int64($0) } }
    }
}

@inline(__always)
private func isEqual(_ name: StaticString, _ wanted: UnsafeRawBufferPointer) -> Bool {
    guard wanted.count == name.utf8CodeUnitCount else { return false }
    for index in 0..<wanted.count where wanted[index] != name.utf8Start[index] { return false }
    return true
}
