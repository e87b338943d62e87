/// Sends requests: a kernel, or a double in a program's tests.
public protocol RequestSender: Sendable {
    /// Sends a request and returns when the response's head is there; the body is then read from the response.
    ///
    /// A response of any status is a response. Cancelling the task cancels the request and throws `cancelled`.
    nonisolated(nonsending) func send(_ request: Request) async throws(PlugboardError) -> Response

    /// Sends a request, and calls `watch` with what happens to the request and to both bodies, in order, on a thread of
    /// the sender, which must not be blocked. It is called until the response's body has ended.
    ///
    ///     let response = try await kernel.send(request) { notice in
    ///         if case .progress(let bytes) = notice { print(bytes.sent, bytes.toSend ?? 0, bytes.received) }
    ///     }
    nonisolated(nonsending) func send(
        _ request: Request, watch: @escaping @Sendable (RequestNotice) -> Void
    ) async throws(PlugboardError) -> Response

    /// The options with which the request would be sent: its own, completed with the sender's. Transfers note in their
    /// journals which server these lead to, and whether it is verified.
    func options(of request: Request) -> RequestOptions
}

extension RequestSender {
    /// Sends the request, and never calls `watch`: for doubles in tests.
    public nonisolated(nonsending) func send(
        _ request: Request, watch: @escaping @Sendable (RequestNotice) -> Void
    ) async throws(PlugboardError) -> Response {
        try await send(request)
    }
}

/// What happens to a request that was sent.
public enum RequestNotice: Sendable {
    /// The bytes of both bodies that an attempt has sent and received: at most ten times a second, and once at its end.
    /// A further attempt counts from zero.
    case progress(TransferProgress)
    /// An interim response (1xx) has come from this URL, which is another one than the request's after a redirect.
    case interim(ResponseHead, url: String)
}
