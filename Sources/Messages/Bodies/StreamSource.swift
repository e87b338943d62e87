import Synchronization

/// The elements of an asynchronous sequence; a body that cannot begin again.
///
/// One task walks the sequence, an element a pull.
final class StreamSource<Pieces: AsyncSequence & Sendable>: BodySource where Pieces.Element == Bytes {
    private let pieces: Pieces
    private let pulls: AsyncStream<Pull>
    private let asked: AsyncStream<Pull>.Continuation
    private let walk = Mutex<Task<Void, Never>?>(nil)
    let length: Int?

    init(_ pieces: Pieces, length: Int?) {
        self.pieces = pieces
        self.length = length
        (pulls, asked) = AsyncStream.makeStream()
    }

    deinit { release() }

    func pull(_ pull: Pull) {
        walk.withLock { walk in
            if walk == nil {
                walk = Task { [pieces, pulls] in await StreamSource.answer(pulls, from: pieces) }
            }
        }
        asked.yield(pull)
    }

    func release() {
        asked.finish()
        walk.withLock { $0 }?.cancel()
    }

    private static func answer(_ pulls: AsyncStream<Pull>, from pieces: Pieces) async {
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
