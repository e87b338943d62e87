extension Response {
    /// An error for this response, which keeps its head and the first bytes of its body. The rest of the body is
    /// dropped.
    ///
    /// A body that breaks does not matter: the bytes before the break are kept. If the task is cancelled, the error is
    /// `cancelled`.
    public nonisolated(nonsending) consuming func refused(
        _ code: PlugboardError.Code, _ reason: String, keeping limit: ByteCount = .kibibytes(4)
    ) async -> PlugboardError {
        var error = PlugboardError(code, reason)
        var pieces: [Bytes] = []
        var count = 0
        var isWhole = false
        var iterator = body.makeAsyncIterator()
        while count <= limit.bytes {
            do throws(PlugboardError) {
                guard let piece = try await iterator.next() else {
                    isWhole = true
                    break
                }
                pieces.append(piece)
                count += piece.count
            } catch {
                if error.code == .cancelled { return error }
                break
            }
        }
        if !isWhole { body.source.release() }
        error.response = ResponseExcerpt(
            head: head, url: url, firstBytes: Bytes.joined(pieces)[0..<limit.bytes],
            isWhole: isWhole && count <= limit.bytes)
        return error
    }
}
