/// An event of a stream of `text/event-stream` (HTML standard §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The field `event`; `message` if the event has none.
    public var type: String
    /// The values of the fields `data`, with LF between them.
    public var data: String
    /// The last field `id` of the stream up to this event; empty if there was none.
    public var id: String

    /// Creates an event.
    public init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}
