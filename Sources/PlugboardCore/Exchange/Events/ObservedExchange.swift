import PlugboardBorder

/// An exchange as it was at one moment: in a line of the log, in the list of those under way, and beside its events.
public struct ObservedExchange: Sendable {
    /// The number that no other exchange of this kernel has.
    public let id: UInt64
    /// The request's method.
    public let method: Method
    /// The request's URL, without the user and without the values of its query.
    public let url: String
    /// The response's status; nil before there is a response.
    public let status: Int?
    /// The time since the exchange began.
    public let duration: Duration
    /// The attempts that were begun on the network.
    public let attempts: Int
    /// The code of the exchange's failure; nil if it has not failed.
    public let error: PlugboardError.Code?
    /// The request's tag.
    public let tag: String?
    /// The trace that the exchange is in, 32 hexadecimal digits, where the request has the field `traceparent` (W3C
    /// Trace Context §3.2), or `telemetry.traceparent` among its attributes.
    public let trace: String?
    /// The plugin whose sub-request it is; nil for a request of the program.
    public let sender: String?
    /// Whether the program has suspended it.
    public let isSuspended: Bool

    /// Called on the exchange's loop.
    init(_ exchange: ExchangeCore) {
        let head = exchange.request.head
        id = exchange.number
        method = head.method
        url = Printable.url(head.url)
        status = exchange.response?.head.status
        duration = .nanoseconds(exchange.loop.now - exchange.began)
        attempts = exchange.attempts.count
        error = exchange.failure?.code
        tag = head.attributes[Request.tagName] ?? exchange.core.section(for: head.url)?[Request.tagName]
        trace =
            ObservedExchange.trace(head.fields["traceparent"])
            ?? ObservedExchange.trace(head.attributes["telemetry.traceparent"])
        sender = exchange.family.sender.map { exchange.pipeline.slots[$0].id }
        isSuspended = exchange.isSuspended
    }

    private static func trace(_ parent: String?) -> String? {
        guard let parts = parent?.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 2), parts.count > 2,
            parts[1].count == 32,
            parts[1].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return String(Substring(parts[1]))
    }
}

extension Request {
    /// The attribute of the kernel's own.
    static let tagName = "kernel.tag"

    /// A word that requests have in common, by which those under way are found and cancelled together. It is not sent.
    public var tag: String? {
        get { attributes[Request.tagName] }
        set { attributes[Request.tagName] = newValue }
    }
}
