import PlugboardMessages
import PlugboardRanges

/// A response for a worker's claim.
struct SegmentResponse: Sendable {
    let response: Response
    /// The offset in the file of the body's first byte.
    let offset: Int
    /// The number of bytes of the body.
    let count: Int
}

/// The ways in which a worker ends.
enum SegmentEnd: Sendable {
    /// There is nothing left for it to do.
    case finished
    /// The server does not send the missing bytes, which does not mean that the existing ones are wrong.
    case refused
    /// The server has another representation.
    case changed
    /// A body did not have the announced length.
    case untrusted
    case broke(PlugboardError)
}

/// Receives one part of a file after another.
struct SegmentWorker<Sender: RequestSender>: Sendable {
    let number: Int
    let board: SegmentBoard
    let file: OpenFile
    /// The digests of pieces of the file, which the worker verifies.
    let hashes: PieceHashes?
    let sender: Sender
    /// The description by the first response: its length applies to all sources, its validator only to its own.
    let whole: Representation
    var source: DownloadSource
    /// The index of its source.
    let sourceNumber: Int
    /// Whether its server is not that of the first response. Its errors then end only this worker.
    var isMirror: Bool { sourceNumber > 0 }
    /// If a body breaks off after fewer bytes, the next request is delayed.
    let minimum: Int
    let delay: Duration
    /// The interval in which a paused worker asks whether it can continue.
    let window: Duration

    private struct Stop: Error {
        let end: SegmentEnd
    }

    /// - Parameter first: A response for the worker's claim.
    mutating func run(_ first: SegmentResponse?) async -> SegmentEnd {
        var next = first
        var written = 0
        var breaks = 0
        while true {
            do throws(PlugboardError) {
                while true {
                    if let response = next {
                        next = nil
                        guard try await receive(response, &written) else {
                            guard isMirror else { return await ended(.untrusted) }
                            try await board.distrust(sourceNumber)
                            return await ended(.refused)
                        }
                        (written, breaks) = (0, 0)
                    }
                    try await waitWhileHeld()
                    guard let range = await board.claim(number, of: sourceNumber) else { return .finished }
                    switch try await ask(for: range) {
                    case .success(let part): next = part
                    case .failure(let stop): return await ended(stop.end)
                    }
                }
            } catch {
                await board.giveUp(number)
                // Other workers receive the missing bytes. If there are none, the run of the download requests them.
                guard written > 0, DownloadRun.isTransient(error.code) else { return end(error) }
                breaks = written < minimum ? breaks + 1 : 0
                written = 0
                do throws(PlugboardError) {
                    if breaks > 1 { try await DownloadRun.wait(delay * min(breaks - 1, 8)) }
                } catch {
                    return .broke(error)
                }
            }
        }
    }

    private func end(_ error: PlugboardError) -> SegmentEnd {
        switch error.code {
        case .cancelled, .downloadWrite: .broke(error)
        default: isMirror ? .refused : .broke(error)
        }
    }

    private func ended(_ end: SegmentEnd) async -> SegmentEnd {
        await board.giveUp(number)
        return end
    }

    private mutating func ask(
        for range: Range<Int>
    ) async throws(PlugboardError) -> Result<SegmentResponse, Stop> {
        let isKnown = source.representation != nil
        guard
            let (response, decision) = try await source.ask(
                from: range.lowerBound, upTo: range.upperBound, of: whole, with: sender)
        else { return .failure(Stop(end: .refused)) }
        switch decision {
        case .part(let part):
            await board.covers(number, upTo: range.lowerBound + part.count)
            return .success(SegmentResponse(response: response, offset: range.lowerBound, count: part.count))
        case .whole(let now):
            response.body.source.release()
            // A mirror that has another file now is not used; the bytes of the others are kept.
            let isSame = isMirror || !isKnown || now.validator == source.representation?.validator
            return .failure(Stop(end: isSame ? .refused : .changed))
        case .refused(.unsatisfiable), .refused(.otherValidator), .refused(.otherLength):
            response.body.source.release()
            // A mirror that has another file is not used; the file that is received has not changed.
            return .failure(Stop(end: isKnown && !isMirror ? .changed : .refused))
        case .refused, .other:
            response.body.source.release()
            return .failure(Stop(end: .refused))
        }
    }

    /// Receives a part. Returns whether the body had the announced length.
    private func receive(_ part: SegmentResponse, _ written: inout Int) async throws(PlugboardError) -> Bool {
        let response = part.response
        var left = part.count
        var pieces = response.body.makeAsyncIterator()
        do throws(PlugboardError) {
            while let piece = try await pieces.next() {
                guard piece.count <= left else {
                    response.body.source.release()
                    return false
                }
                let done = try await board.write(
                    piece, at: part.offset + part.count - left, number, of: sourceNumber)
                left -= piece.count
                written += done.count
                try await verify(done.due)
                // The rest belongs to other workers. The end of a body is read, so that its connection can be used
                // again.
                if !done.goesOn && left > 0 {
                    response.body.source.release()
                    return true
                }
                try await DownloadRun.wait(done.delay)
                if done.isHeld { try await waitWhileHeld() }
            }
        } catch {
            response.body.source.release()
            throw error
        }
        return left == 0
    }

    private func waitWhileHeld() async throws(PlugboardError) {
        while await board.holds(number) {
            try DownloadRun.checkCancelled()
            try await DownloadRun.wait(window)
        }
    }

    private func verify(_ pieces: [Int]) async throws(PlugboardError) {
        guard let hashes else { return }
        do throws(PlugboardError) {
            for piece in pieces {
                try await board.judge(piece, isRight: try await hashes.holds(piece, in: file))
            }
        } catch {
            // The run of the download verifies them at the end.
            await board.postpone(pieces)
            throw error
        }
    }
}
