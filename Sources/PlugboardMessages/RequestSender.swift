/// Sends requests: a kernel, or what a program's tests put in its place.
public protocol RequestSender: Sendable {
    /// Sends a request and returns when the response's head is there; the body is then read from the response.
    ///
    /// A response of any status is a response. Cancelling the task cancels the request and throws `cancelled`.
    nonisolated(nonsending) func send(_ request: Request) async throws(PlugboardError) -> Response
}
