import PlugboardKit

/// The exchange whose hook wrote a line of the log, as it was then.
public struct LoggedExchange: Sendable {
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

    /// Called on the exchange's loop.
    init(_ exchange: ExchangeCore) {
        id = exchange.number
        method = exchange.request.head.method
        url = Printable.url(exchange.request.head.url)
        status = exchange.response?.head.status
        duration = .nanoseconds(exchange.loop.now - exchange.began)
        attempts = exchange.attempts.count
        error = exchange.failure?.code
    }
}
