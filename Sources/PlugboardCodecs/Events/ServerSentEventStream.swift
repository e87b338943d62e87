import PlugboardMessages

extension RequestSender {
    /// Sends a request, and returns the events of its response. When the stream ends or breaks, the request is sent
    /// again with the id of the last event, as the HTML standard requires (§9.2.3).
    ///
    ///     for try await event in kernel.serverSentEvents(Request(.get, url)) { print(event.data) }
    ///
    /// The sequence ends when the server responds with status 204. It throws `response.status` for any status except
    /// 200, `response.type` for any type except `text/event-stream`, the first error if no stream has been opened yet,
    /// and `cancelled` when the task is cancelled. A request whose body cannot be sent again throws `body.rewind`
    /// instead of reconnecting. Nothing is sent before the first event is requested.
    public func serverSentEvents(
        _ request: Request, settings: ServerSentEventSettings = ServerSentEventSettings()
    ) -> ServerSentEventStream<Self> {
        ServerSentEventStream(sender: self, request: request, settings: settings)
    }
}

/// Events of a server, over as many connections as necessary.
public struct ServerSentEventStream<Sender: RequestSender>: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// The error that ended the stream.
    public typealias Failure = PlugboardError

    let sender: Sender
    let request: Request
    let settings: ServerSentEventSettings

    /// Makes an iterator; it connects when the first event is requested.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Reads events, and connects if necessary.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let sender: Sender
        private let request: Request
        private let settings: ServerSentEventSettings
        private var events: ServerSentEvents.AsyncIterator?
        private var isDone = false
        /// Whether a stream has been opened.
        private var wasOpen = false
        private var isFirst = true
        /// The number of attempts in a row that opened no stream.
        private var failures = 0
        private var reconnectionTime: Duration

        /// The last id so far; empty if there was none.
        public private(set) var lastEventID: String

        fileprivate init(_ stream: ServerSentEventStream) {
            sender = stream.sender
            request = stream.request
            settings = stream.settings
            reconnectionTime = stream.settings.reconnectionTime
            lastEventID = stream.settings.lastEventID
        }

        /// The next event, or nil when the server has ended the stream with status 204.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(PlugboardError) -> ServerSentEvent? {
            do throws(PlugboardError) {
                while !isDone {
                    if let event = try await nextOfConnection(isolation: actor) { return event }
                    if !isFirst { try await wait(isolation: actor) }
                    try await connect(isolation: actor)
                    isFirst = false
                }
                return nil
            } catch {
                isDone = true
                events = nil
                throw error
            }
        }

        /// The next event of the open stream; nil if no stream is open, or the stream has ended.
        private mutating func nextOfConnection(
            isolation actor: isolated (any Actor)?
        ) async throws(PlugboardError) -> ServerSentEvent? {
            guard events != nil else { return nil }
            var next: ServerSentEvent?
            do throws(PlugboardError) {
                next = try await events?.next(isolation: actor)
            } catch {
                guard AsyncIterator.isBreak(error) else { throw error }
            }
            lastEventID = events?.lastEventID ?? lastEventID
            reconnectionTime = events?.reconnectionTime ?? reconnectionTime
            if next == nil { events = nil }
            return next
        }

        private mutating func connect(isolation actor: isolated (any Actor)?) async throws(PlugboardError) {
            let request = try prepared()
            let response: Response
            do throws(PlugboardError) {
                response = try await sender.send(request)
            } catch {
                failures += 1
                guard wasOpen, AsyncIterator.isBreak(error), failures < settings.failureLimit ?? .max else {
                    throw error
                }
                return
            }
            if response.status == 204 {
                isDone = true
                return
            }
            let checked = try await response.requireStatus(200...200).requireType("text/event-stream")
            events = ServerSentEvents(body: checked.body, lastEventID: lastEventID, limit: settings.eventLimit)
                .makeAsyncIterator()
            wasOpen = true
            failures = 0
        }

        private func prepared() throws(PlugboardError) -> Request {
            var request = request
            if !request.fields.contains(.accept) { request[.accept] = "text/event-stream" }
            if !request.fields.contains(.cacheControl) { request[.cacheControl] = "no-store" }
            if !isFirst || !lastEventID.isEmpty {
                // A field cannot hold control characters (RFC 9110 §5.5).
                let canBeSent = !lastEventID.isEmpty && lastEventID.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                request["Last-Event-ID"] = canBeSent ? lastEventID : nil
            }
            if !isFirst, let body = request.body {
                guard let copy = body.source.copy() else {
                    throw PlugboardError(
                        .bodyRewind,
                        "The stream of events ended, and its request cannot be sent again, because its body cannot. Use "
                            + "a body in memory or a file.")
                }
                request.body = Body(copy)
            }
            return request
        }

        private func wait(isolation actor: isolated (any Actor)?) async throws(PlugboardError) {
            // Doubled at most 20 times, which is more than the longest wait allows.
            let time = Swift.max(
                Swift.min(reconnectionTime * (1 << Swift.min(failures, 20)), settings.longestWait),
                settings.shortestWait)
            do {
                try await settings.sleep(time)
            } catch {
                throw PlugboardError(.cancelled, "The wait before connecting again was cancelled.")
            }
        }

        /// Whether the connection broke, so that another one may do better.
        private static func isBreak(_ error: PlugboardError) -> Bool {
            error.code.kind == "transport" || error.code.kind == "timeout" || error.code == .bodyCut
        }
    }
}
