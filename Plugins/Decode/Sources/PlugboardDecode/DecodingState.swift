import PlugboardKit

/// The state of a `DecodingSource`, and its next action; the source carries the actions out.
struct DecodingState: ~Copyable {
    /// The reader's pull that is not completed yet.
    var pull: Pull?

    private static let pieceSizes = 4 << 10...256 << 10

    private let decoder: (any ContentDecoder)?
    private var input = Bytes.empty
    /// The last piece of the inner body, after it has come.
    private var ending: Piece?
    /// Whether the decoder filled its room, and may have more output without new input.
    private var mayHaveMore = false
    private var produced = 0
    private var isWaiting = false
    private var isPulling = false

    enum Action {
        case complete(Pull, Piece)
        case pull
    }

    init(_ coding: ContentCoding) { decoder = coding.makeDecoder() }

    /// Takes a piece of the inner body: whether `pull` is still running, or nil if no piece was expected.
    mutating func receive(_ piece: Piece) -> Bool? {
        guard isWaiting else { return nil }
        isWaiting = false
        if case .bytes(let bytes) = piece { input = bytes } else { ending = piece }
        return isPulling
    }

    /// The inner `pull` has returned: whether its piece has come already.
    mutating func hasPulled() -> Bool {
        isPulling = false
        return !isWaiting
    }

    /// Decodes until a piece is full or the input is used up; nil if no pull is open.
    mutating func next(_ coding: ContentCoding, _ budget: DecodingBudget) -> Action? {
        guard let pull else { return nil }
        let piece: Piece?
        do {
            piece = try decoded(budget)
        } catch {
            piece = broken(coding, error)
        }
        guard let piece = piece ?? end(coding) else {
            isWaiting = true
            isPulling = true
            return .pull
        }
        self.pull = nil
        return .complete(pull, piece)
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
            try budget.check(produced)
        } catch {
            room.deallocate()
            throw error
        }
        if count == 0 {
            room.deallocate()
            return nil
        }
        return .bytes(Bytes(adopting: room, count: count))
    }

    private mutating func fill(
        _ room: UnsafeMutableRawBufferPointer, _ decoder: any ContentDecoder
    ) throws(ContentCodingError) -> Int {
        var count = 0
        while count < room.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[count...])
            let step = try input.withUnsafeBytes { input throws(ContentCodingError) in
                try decoder.decode(input, into: rest)
            }
            input = input[step.consumed..<input.count]
            count += step.produced
            if input.isEmpty && step.produced < rest.count { break }
        }
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
