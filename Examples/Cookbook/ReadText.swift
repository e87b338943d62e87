import PlugboardKit

extension Answer {
    /// Reads the body of a sub-request's answer to its end, on the loop, and calls back there once.
    func readText(
        upTo limit: ByteCount, then done: @escaping @Sendable (Result<String, PlugboardError>) -> Void
    ) {
        guard let body = takeBody() else { return done(.success("")) }
        read(body, Bytes.empty, limit, done)
    }

    private func read(
        _ body: InnerBody, _ soFar: Bytes, _ limit: ByteCount,
        _ done: @escaping @Sendable (Result<String, PlugboardError>) -> Void
    ) {
        body.withPiece { piece in
            switch piece {
            case .bytes(let bytes):
                let all = Bytes.joined([soFar, Bytes(copying: bytes)])
                guard all.count <= limit.bytes else {
                    body.release()
                    return done(.failure(PlugboardError(.bodyLimit, "The answer is longer than \(limit).")))
                }
                self.read(body, all, limit, done)
            case .end: done(.success(soFar.text))
            case .broken(let error): done(.failure(error))
            }
        }
    }
}
