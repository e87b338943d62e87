import PlugboardMessages
import PlugboardRanges

/// A server that has the file, and the request that gets it.
struct SegmentSource: Sendable {
    let request: Request
    /// Nil as long as the server has not said which representation it has.
    var representation: Representation?
}

/// How a worker ended.
enum SegmentEnd: Sendable {
    /// There is nothing left for it to do.
    case finished
    /// The server does not send what is missing, and says nothing about what is there.
    case refused
    /// The server has another representation, or its bytes cannot be trusted.
    case changed
    case broke(PlugboardError)
}

/// Receives one part of a file after another.
struct SegmentWorker<Sender: RequestSender>: Sendable {
    let number: Int
    let board: SegmentBoard
    let sender: Sender
    /// What the first response said: its length is that of all sources, and its validator that of its own.
    let whole: Representation
    var source: SegmentSource

    private struct Stop: Error {
        let end: SegmentEnd
    }

    /// - Parameter first: A response whose body is the worker's claim, with the number of its bytes.
    mutating func run(_ first: (response: Response, count: Int)?) async -> SegmentEnd {
        var next = first
        var hasBytes = false
        while true {
            do throws(PlugboardError) {
                while true {
                    if let (response, count) = next {
                        next = nil
                        guard try await receive(response, count, &hasBytes) else { return await ended(.changed) }
                    }
                    guard let range = await board.claim(number) else { return .finished }
                    switch try await ask(for: range) {
                    case .success(let part): next = part
                    case .failure(let stop): return await ended(stop.end)
                    }
                }
            } catch {
                await board.giveUp(number)
                // Other workers take what is missing; the last one leaves the waiting to the run of the download.
                guard hasBytes, DownloadRun.isTransient(error.code) else { return .broke(error) }
                hasBytes = false
            }
        }
    }

    private func ended(_ end: SegmentEnd) async -> SegmentEnd {
        await board.giveUp(number)
        return end
    }

    private mutating func ask(
        for range: Range<Int>
    ) async throws(PlugboardError) -> Result<(response: Response, count: Int), Stop> {
        var known = source.representation ?? whole
        var policy = RangePolicy(known, next: range.lowerBound, end: range.upperBound)
        guard let wanted = policy.request else { return .failure(Stop(end: .refused)) }
        var request = source.request
        wanted.set(in: &request.fields)
        // The validator of one server says nothing about another's.
        if source.representation == nil { request.fields[.ifRange] = nil }
        let response = try await sender.send(request)
        if source.representation == nil {
            known = Representation(status: response.status, fields: response.fields, length: whole.length)
            known.coding = whole.coding
            guard known.validator != nil else {
                response.body.source.release()
                return .failure(Stop(end: .refused))
            }
            policy = RangePolicy(known, next: range.lowerBound, end: range.upperBound)
        }
        switch policy.decision(on: response.head, to: wanted, bodyLength: response.body.length) {
        case .part(let part):
            source.representation = known
            await board.covers(number, upTo: range.lowerBound + part.count)
            return .success((response, part.count))
        case .whole(let now):
            response.body.source.release()
            let isSame = source.representation == nil || now.validator == known.validator
            return .failure(Stop(end: isSame ? .refused : .changed))
        case .refused(.unsatisfiable), .refused(.otherValidator), .refused(.otherLength):
            response.body.source.release()
            // A mirror that has another file is of no use; the file that is received has not changed.
            return .failure(Stop(end: source.representation == nil ? .refused : .changed))
        case .refused, .other:
            response.body.source.release()
            return .failure(Stop(end: .refused))
        }
    }

    /// Returns whether the body had the length that was announced.
    private func receive(
        _ response: Response, _ count: Int, _ hasBytes: inout Bool
    ) async throws(PlugboardError) -> Bool {
        var left = count
        var pieces = response.body.makeAsyncIterator()
        do throws(PlugboardError) {
            while let piece = try await pieces.next() {
                guard piece.count <= left else {
                    response.body.source.release()
                    return false
                }
                left -= piece.count
                let (goesOn, delay) = try await board.write(piece, number)
                hasBytes = true
                // The rest belongs to other workers. The end of a body is read, so that its connection can be used
                // again.
                if !goesOn && left > 0 {
                    response.body.source.release()
                    return true
                }
                try await DownloadRun.wait(delay)
            }
        } catch {
            response.body.source.release()
            throw error
        }
        return left == 0
    }
}
