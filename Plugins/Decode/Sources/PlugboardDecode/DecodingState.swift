import PlugboardKit

/// The state of a `DecodingSource`.
struct DecodingState: ~Copyable {
    private static let pieceSizes = 4 << 10...256 << 10
    /// The most coded bytes, and the most calls of the decoder, of one step: a call ends with a member or frame.
    private static let stepSize = 64 << 10
    private static let stepCalls = 256

    /// The reader's pull that waits for a piece of the inner body.
    private var pull: Pull?
    private let decoder: (any ContentDecoder)?
    private var input = Bytes.empty
    /// The last piece of the inner body, after it has come.
    private var ending: Piece?
    /// Whether the decoder filled its room, and may have more output without new input.
    private var mayHaveMore = false
    private var consumed = 0
    private var produced = 0

    init(_ coding: ContentCoding) { decoder = coding.makeDecoder() }

    /// The piece that completes a pull; nil if that takes a piece of the inner body.
    mutating func begin(_ pull: Pull, _ coding: ContentCoding, _ budget: DecodingBudget) -> Piece? {
        if let piece = next(coding, budget) { return piece }
        self.pull = pull
        return nil
    }

    /// Takes a piece of the inner body: the pull that waits for it and the piece that completes it, or nil if none
    /// waits.
    mutating func receive(
        _ piece: Piece, _ coding: ContentCoding, _ budget: DecodingBudget
    ) -> (Pull, Piece)? {
        guard let pull = pull.take() else { return nil }
        if case .bytes(let bytes) = piece { input = bytes } else { ending = piece }
        return (pull, next(coding, budget) ?? .bytes(.empty))
    }

    /// The result of one step; nil if there is nothing to decode, and the inner body has not ended.
    private mutating func next(_ coding: ContentCoding, _ budget: DecodingBudget) -> Piece? {
        do {
            return try decoded(budget) ?? end(coding)
        } catch {
            return broken(coding, error)
        }
    }

    private mutating func decoded(_ budget: DecodingBudget) throws(ContentCodingError) -> Piece? {
        guard let decoder else { throw ContentCodingError("memory is exhausted") }
        guard !input.isEmpty || mayHaveMore else { return nil }
        let sizes = Self.pieceSizes
        let size = mayHaveMore ? sizes.upperBound : min(max(input.count * 4, sizes.lowerBound), sizes.upperBound)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        let count: Int
        do {
            count = try fill(room, decoder)
            produced += count
            try budget.check(consumed: consumed, produced: produced)
        } catch {
            room.deallocate()
            throw error
        }
        if count == 0 {
            room.deallocate()
            return input.isEmpty ? nil : .bytes(.empty)
        }
        return .bytes(Bytes(adopting: room, count: count))
    }

    private mutating func fill(
        _ room: UnsafeMutableRawBufferPointer, _ decoder: any ContentDecoder
    ) throws(ContentCodingError) -> Int {
        var count = 0
        var given = 0
        for _ in 0..<Self.stepCalls where count < room.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
            let part = input[0..<min(input.count, Self.stepSize - given)]
            let step = try part.withUnsafeBytes { part throws(ContentCodingError) in
                try decoder.decode(part, into: rest)
            }
            input = input[step.consumed..<input.count]
            given += step.consumed
            count += step.produced
            // The decoder has no more output for this input.
            if step.consumed == part.count && step.produced < rest.count { break }
        }
        consumed += given
        mayHaveMore = count == room.count
        return count
    }

    private mutating func end(_ coding: ContentCoding) -> Piece? {
        guard let ending else { return nil }
        if case .end = ending, decoder?.isComplete != true {
            return broken(coding, ContentCodingError("it ends too early"))
        }
        return ending
    }

    private func broken(_ coding: ContentCoding, _ error: ContentCodingError) -> Piece {
        .broken(
            PlugboardError(.bodyDecode, "The body's \(coding.rawValue) coding cannot be decoded: \(error.reason)."))
    }
}
