import PlugboardMessages

extension Body {
    /// The events of a body of `text/event-stream`, as they arrive, until the body ends.
    ///
    ///     for try await event in response.body.serverSentEvents { print(event.type, event.data) }
    ///
    /// A line and the data of an event may have at most 1 MiB. To reconnect when the stream ends, use
    /// `RequestSender/serverSentEvents(_:settings:)`.
    public var serverSentEvents: ServerSentEvents { serverSentEvents(upTo: .mebibytes(1)) }

    /// The events, with lines and data of at most `limit` bytes. Larger ones throw `body.limit`.
    public func serverSentEvents(upTo limit: ByteCount) -> ServerSentEvents {
        ServerSentEvents(body: self, lastEventID: "", limit: limit)
    }
}

/// The events of one body, as they arrive.
///
/// Reads them as the HTML standard requires (§9.2.6). An event that is cut by the end of the body is ignored.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// The error with which the body failed, or `body.limit`.
    public typealias Failure = PlugboardError

    let body: Body
    let lastEventID: String
    let limit: ByteCount

    /// Begins to read the body.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Reads a body event by event.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let source: any BodySource
        private var pieces: Body.Iterator
        private var parser: ServerSentEventParser
        private var isDone = false

        fileprivate init(_ events: ServerSentEvents) {
            source = events.body.source
            pieces = events.body.makeAsyncIterator()
            parser = ServerSentEventParser(lastEventID: events.lastEventID, limit: events.limit.bytes)
        }

        /// The last id so far; empty if there was none.
        public var lastEventID: String { parser.lastEventID }

        /// How long a client waits before it connects again, if the stream has said it.
        public var reconnectionTime: Duration? { parser.reconnectionTime }

        /// The next event, or nil at the end of the body.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(PlugboardError) -> ServerSentEvent? {
            do throws(PlugboardError) {
                while !isDone {
                    if let event = try parser.next() { return event }
                    guard let piece = try await pieces.next(isolation: actor) else {
                        isDone = true
                        return nil
                    }
                    parser.add(piece)
                }
                return nil
            } catch {
                isDone = true
                source.release()
                throw error
            }
        }
    }
}
