import Plugboard

/// Hands on a body piece by piece, and tells how far it is. Cancelling the task cancels the exchange.
func download(
    _ url: String, with kernel: Kernel, write: (Bytes) throws -> Void,
    progress: @escaping @Sendable (_ received: Int64, _ total: Int64?) -> Void
) async throws {
    let exchange = kernel.begin(Request(.get, url)) { event in  // on the loop: it must not block
        guard event.kernelEvent == .progress else { return }
        progress(event.integer("received") ?? 0, event.integer("toReceive"))
    }
    for try await piece in try await exchange.response.body {
        try write(piece)  // a slow writer slows the sender
    }
}
