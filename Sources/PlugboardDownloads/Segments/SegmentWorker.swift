import PlugboardMessages
import PlugboardRanges

/// A response that has a worker's claim.
struct SegmentResponse: Sendable {
    let response: Response
    /// The offset in the file of the body's first byte.
    let offset: Int
    /// The bytes of the body.
    let count: Int
}

/// How a worker ended.
enum SegmentEnd: Sendable {
    /// There is nothing left for it to do.
    case finished
    /// The server does not send what is missing, and says nothing about what is there.
    case refused
    /// The server has another representation.
    case changed
    /// A body did not have the length that was announced.
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
    /// What the first response said: its length is that of all sources, and its validator that of its own.
    let whole: Representation
    var source: DownloadSource
    /// Which of the sources it is.
    let sourceNumber: Int
    /// Whether its server is not the one of the first response. Its errors then end this worker alone.
    var isMirror: Bool { sourceNumber > 0 }
    /// A break after fewer bytes delays the next request.
    let minimum: Int
    let delay: Duration
    /// How often a worker that is held asks whether it can go on.
    let window: Duration

    private struct Stop: Error {
        let end: SegmentEnd
    }

    /// - Parameter first: A response that has the worker's claim.
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
                // Other workers receive what is missing. Without any, the run of the download requests it.
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
            // A mirror that has another file now is of no use; the others' bytes stay.
            let isSame = isMirror || !isKnown || now.validator == source.representation?.validator
            return .failure(Stop(end: isSame ? .refused : .changed))
        case .refused(.unsatisfiable), .refused(.otherValidator), .refused(.otherLength):
            response.body.source.release()
            // A mirror that has another file is of no use; the file that is received has not changed.
            return .failure(Stop(end: isKnown && !isMirror ? .changed : .refused))
        case .refused, .other:
            response.body.source.release()
            return .failure(Stop(end: .refused))
        }
    }

    /// Returns whether the body had the length that was announced.
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
