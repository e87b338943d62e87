import PlugboardKit

extension PlugboardError.Code {
    /// The queue has no room, or its file cannot be written.
    public static let queueFull: Self = "queue.full"
    /// A command of the queue lacks an argument, or has an invalid one.
    public static let queueArgument: Self = "queue.argument"
    /// The queue knows no request with this ticket.
    public static let queueUnknown: Self = "queue.unknown"
    /// The file or the database of the queue cannot be used.
    public static let queueFile: Self = "queue.file"
    /// The server refused a queued request as often as the limit allows.
    public static let queueRejected: Self = "queue.rejected"
    /// A queued request was tried as often as the limit allows.
    public static let queueAttempts: Self = "queue.attempts"
    /// A queued request is older than the limit.
    public static let queueExpired: Self = "queue.expired"
    /// A queued request waits for a kernel whose `unixSocket` or `connectTo` leads to the server it was queued for.
    public static let queueRoute: Self = "queue.route"
    /// The body of a queued request is not complete in the file.
    public static let queueBody: Self = "queue.body"
    /// A later request with the same collapse key replaced or cancelled this one.
    public static let queueCollapsed: Self = "queue.collapsed"
}

extension PlugboardError {
    /// The ticket of the request that the plugin `queue` has kept; nil if the code is not `queued`.
    public var queueTicket: String? {
        guard code == .queued else { return nil }
        // A ticket that the program has set can be any text, so the ticket is everything that follows.
        let (bytes, mark) = (Array(reason.utf8), Array("Its ticket: ".utf8))
        guard bytes.count >= mark.count,
            let start = (0...bytes.count - mark.count).first(where: { bytes[$0..<$0 + mark.count].elementsEqual(mark) })
        else { return nil }
        return String(decoding: bytes[(start + mark.count)...], as: UTF8.self)
    }
}
