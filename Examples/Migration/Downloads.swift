import Plugboard

/// Hands on a body piece by piece, and tells how far it is. Cancelling the task cancels the exchange.
func download(
    _ url: String, with kernel: Kernel, write: (Bytes) throws -> Void,
    progress: @escaping @Sendable (TransferProgress) -> Void
) async throws {
    let response = try await kernel.send(Request(.get, url)) { notice in  // on the loop: it must not block
        if case .progress(let bytes) = notice { progress(bytes) }
    }
    for try await piece in response.body {
        try write(piece)  // a slow writer slows the sender
    }
}
