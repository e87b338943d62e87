public import Foundation
public import FoundationNetworking
public import PlugboardMessages

/// Requests in the style of `URLSession`, to migrate code: `session.data(for:)` becomes `kernel.data(for:)`.
///
/// There are three differences. Errors are `PlugboardError`, not `URLError`. The response is an `HTTPURLResponse`
/// without a cast. Redirects, cookies, credentials and the cache are handled only if the kernel has the plugins for
/// them. All functions throw `body.limit` if the response's body is larger than `limit`.
extension RequestSender {
    /// Sends a request and reads the response's whole body.
    public func data(
        for request: URLRequest, upTo limit: ByteCount = .mebibytes(64)
    ) async throws(PlugboardError) -> (Data, HTTPURLResponse) {
        try await send(Request(request)).foundation(upTo: limit)
    }

    /// Sends a GET request to a URL and reads the response's whole body.
    public func data(
        from url: URL, upTo limit: ByteCount = .mebibytes(64)
    ) async throws(PlugboardError) -> (Data, HTTPURLResponse) {
        try await data(for: URLRequest(url: url), upTo: limit)
    }

    /// Sends a request with this body instead of its own.
    public func upload(
        for request: URLRequest, from data: Data, upTo limit: ByteCount = .mebibytes(64)
    ) async throws(PlugboardError) -> (Data, HTTPURLResponse) {
        try await upload(request, .data(data), limit)
    }

    /// Sends a request with the file as its body instead of its own. The file is read while it is sent.
    ///
    /// Throws `body.read` if the file cannot be opened or is not a regular file.
    public func upload(
        for request: URLRequest, fromFile file: URL, upTo limit: ByteCount = .mebibytes(64)
    ) async throws(PlugboardError) -> (Data, HTTPURLResponse) {
        guard file.isFileURL else {
            throw PlugboardError(.bodyRead, "The body's URL is not that of a file. Use URL(fileURLWithPath:).")
        }
        return try await upload(request, .file(file.path), limit)
    }

    private func upload(
        _ request: URLRequest, _ body: Body, _ limit: ByteCount
    ) async throws(PlugboardError) -> (Data, HTTPURLResponse) {
        var bare = request
        bare.httpBody = nil
        var request = try Request(bare)
        request.fields.remove(.contentLength)
        request.body = body
        return try await send(request).foundation(upTo: limit)
    }
}
