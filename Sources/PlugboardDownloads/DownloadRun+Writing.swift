import PlugboardMessages
import PlugboardRanges

extension DownloadRun {
    static let wrongCount = PlugboardError(
        .bodyCut, "The body does not have the length that the server announced.")

    /// The most requests at the same time, whatever the caller asks for.
    private static let segmentLimit = 256

    /// Writes a response's body after the existing bytes.
    ///
    /// - Parameter repeated: The number of its first bytes that must equal those at the end of the file.
    mutating func write(_ response: Response, repeated: Int, count: Int?) async throws(PlugboardError) {
        partial.compute(expected(response.head).map(\.algorithm))
        let total = partial.journal?.representation.length
        var repeated = repeated
        var left = count
        pace.tell(TransferProgress(received: partial.count, toReceive: total, resumed: resumed))
        var iterator = response.body.makeAsyncIterator()
        do throws(PlugboardError) {
            while let piece = try await iterator.next() {
                if let known = left {
                    guard piece.count <= known else {
                        try partial.drop()
                        throw DownloadRun.wrongCount
                    }
                    left = known - piece.count
                }
                let compared = min(repeated, piece.count)
                if compared > 0 {
                    let offset = partial.received.prefix - repeated
                    let isSame = piece[0..<compared].withUnsafeBytes { partial.holds($0, at: offset) }
                    guard isSame else {
                        response.body.source.release()
                        asksWhole = true
                        return
                    }
                    repeated -= compared
                }
                try checkReceived(partial.count + piece.count - compared)
                var due: [Int] = []
                try piece[compared..<piece.count].withUnsafeBytes { bytes throws(PlugboardError) in
                    if !bytes.isEmpty { due = try partial.append(bytes) }
                }
                try await verify(due)
                if !partial.algorithms.isEmpty { await partial.digests.keepUp(with: piece.count) }
                pace.tell(TransferProgress(received: partial.count, toReceive: total, resumed: resumed))
                if let delay = speed?.delay(after: piece.count, now: .now) { try await DownloadRun.wait(delay) }
            }
        } catch {
            response.body.source.release()
            throw error
        }
        // The end of the connection ends a body without a length (RFC 9112 §8), but not a range.
        guard left == nil || left == 0, repeated == 0 else {
            // The bytes of such a server are not trusted, nor the earlier ones of this part.
            try partial.drop()
            throw DownloadRun.wrongCount
        }
    }

    /// Verifies complete pieces. Throws if a piece is wrong; it is then removed.
    func verify(_ pieces: [Int]) async throws(PlugboardError) {
        guard !pieces.isEmpty, let hashes = partial.pieces?.hashes else { return }
        var wrong: Int?
        do throws(PlugboardError) {
            for piece in pieces {
                if try await hashes.holds(piece, in: partial.file) {
                    partial.prove(piece)
                } else {
                    try partial.lose(piece)
                    wrong = wrong ?? piece
                }
            }
        } catch {
            partial.pieces?.postpone(pieces)
            throw error
        }
        if let wrong { throw DownloadRun.wrong(hashes.range(wrong)) }
    }

    private static func wrong(_ bytes: Range<Int>) -> PlugboardError {
        PlugboardError(
            .downloadDigest,
            "The server's bytes from \(bytes.lowerBound) to \(bytes.upperBound - 1) do not have the digest of that "
                + "piece. The pieces that have theirs stay.")
    }

    /// Receives the rest of a file in several parts at the same time.
    ///
    /// - Parameters:
    ///   - response: The first part, whose body begins at the first missing byte.
    ///   - count: The number of its bytes.
    mutating func receiveSegments(
        _ response: Response, _ count: Int, _ sender: some RequestSender
    ) async throws(PlugboardError) -> Step {
        guard let whole = partial.journal?.representation, let length = whole.length else { return .next }
        do throws(PlugboardError) {
            partial.compute(expected(response.head).map(\.algorithm))
            if divides, !download.mirrors.isEmpty, let combination { try partial.combine(under: combination) }
        } catch {
            response.body.source.release()
            throw error
        }
        let sources = sources()
        let most = divides ? min(download.segments, DownloadRun.segmentLimit) : 1
        let board = SegmentBoard(
            partial, length: length, minimum: download.segmentMinimum,
            trial: SegmentTrial(patience: download.segmentWindow * 20, now: .now),
            // Includes the mirrors that are used later.
            sources: 1 + (combination == nil ? 0 : download.mirrors.count), pace: pace, limit: speed, resumed: resumed)
        let workers = (0..<most).map { number in
            SegmentWorker(
                number: number, board: board, file: partial.file, hashes: partial.pieces?.hashes, sender: sender,
                whole: whole, source: sources[number % sources.count], sourceNumber: number % sources.count,
                minimum: download.segmentMinimum, delay: download.delay, window: download.segmentWindow)
        }
        let offset = await board.claim(0, of: 0)?.lowerBound ?? length
        await board.covers(0, upTo: offset + count)
        let ends = await DownloadRun.run(
            workers, SegmentResponse(response: response, offset: offset, count: count), on: board,
            window: download.segmentWindow)
        (pace, speed) = await board.paces
        let isComplete = await board.isComplete
        // The first end that stopped the others has the reason.
        for end in ends {
            switch end {
            case .changed, .untrusted:
                // The bytes of such a server are not trusted, nor those of its earlier responses.
                if case .untrusted = end { try partial.drop() }
                asksWhole = true
                (divides, requestsPieces) = (false, false)
                return .next
            // The others are cancelled when the file is complete; one of its pieces may still be wrong.
            case .broke(let error)
            where !DownloadRun.isTransient(error.code) && !isComplete && !DownloadRun.isOwn(error): throw error
            default: break
            }
        }
        if isComplete { return try await finish(response) }
        if await !board.trusts(0) {
            throw PlugboardError(
                .downloadDigest,
                "The server has sent pieces that do not have their digests. The pieces that have theirs stay.")
        }
        // The other workers have given up before.
        for case .broke(let error) in ends.reversed() where !DownloadRun.isOwn(error) { throw error }
        (divides, requestsPieces) = (false, false)
        return .next
    }

    /// Whether the workers were cancelled by the run, and not by the caller.
    private static func isOwn(_ error: PlugboardError) -> Bool { error.code == .cancelled && !Task.isCancelled }

    /// The sources: the server of the first response, and the mirrors if their bytes can be combined.
    private func sources() -> [DownloadSource] {
        let mirrors = combination == nil || !divides ? [] : download.mirrors
        return [source] + mirrors.map { DownloadSource(request: DownloadRun.prepared($0)) }
    }

    private enum Event: Sendable {
        case tick
        case ended(SegmentEnd)
    }

    /// Runs all workers, and cancels those that do not help. Returns how they ended, in the order in which they ended.
    private static func run<Sender: RequestSender>(
        _ workers: [SegmentWorker<Sender>], _ first: SegmentResponse, on board: SegmentBoard,
        window: Duration
    ) async -> [SegmentEnd] {
        await withTaskGroup(of: Event.self) { group in
            func tick() {
                _ = group.addTaskUnlessCancelled {
                    try? await Task.sleep(for: window)
                    return .tick
                }
            }
            for worker in workers {
                group.addTask {
                    var worker = worker
                    return .ended(await worker.run(worker.number == 0 ? first : nil))
                }
            }
            if workers.count > 1 { tick() }
            var ends: [SegmentEnd] = []
            while ends.count < workers.count, let event = await group.next() {
                switch event {
                case .ended(let end):
                    ends.append(end)
                    // Do not wait for the others if this end stops the download, or if they have no bytes to receive.
                    switch end {
                    case .changed, .untrusted: group.cancelAll()
                    case .broke(let error) where !isTransient(error.code): group.cancelAll()
                    default: if await board.isComplete { group.cancelAll() }
                    }
                case .tick: if await board.tryFewer() { tick() }
                }
            }
            group.cancelAll()
            return ends
        }
    }
}
