import Synchronization

/// The elements of an asynchronous sequence; it cannot be rewound.
///
/// One task iterates over the sequence, one element for each pull.
final class StreamSource<Pieces: AsyncSequence & Sendable>: BodySource where Pieces.Element == Bytes {
    private let pieces: Pieces
    private let pulls: AsyncStream<Pull>
    private let pullInput: AsyncStream<Pull>.Continuation
    private let iteration = Mutex<Task<Void, Never>?>(nil)
    let length: Int?

    init(_ pieces: Pieces, length: Int?) {
        self.pieces = pieces
        self.length = length
        (pulls, pullInput) = AsyncStream.makeStream()
    }

    deinit { release() }

    func pull(_ pull: Pull) {
        iteration.withLock { task in
            if task == nil {
                task = Task { [pieces, pulls] in await StreamSource.complete(pulls, from: pieces) }
            }
        }
        pullInput.yield(pull)
    }

    func release() {
        pullInput.finish()
        iteration.withLock { $0 }?.cancel()
    }

    private static func complete(_ pulls: AsyncStream<Pull>, from pieces: Pieces) async {
        var iterator = pieces.makeAsyncIterator()
        for await pull in pulls {
            do {
                guard let piece = try await iterator.next() else {
                    pull.end()
                    continue
                }
                pull.give(piece)
            } catch let error as PlugboardError {
                pull.fail(error)
            } catch {
                pull.fail(
                    PlugboardError(.bodyRead, "The stream of the body failed.", underlying: "\(type(of: error))"))
            }
        }
    }
}
