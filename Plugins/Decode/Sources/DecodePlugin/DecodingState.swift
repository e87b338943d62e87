import PlugboardKit

/// What a `DecodingSource` has, and what it does next; it asks and answers nobody itself.
struct DecodingState: ~Copyable {
    /// The pull that is to be answered.
    var pull: Pull?

    private static let pieceSizes = 4 << 10...256 << 10

    private let decoder: (any ContentDecoder)?
    private var input = Bytes.empty
    /// How the inner body ended, once it has.
    private var ending: Piece?
    /// The last piece filled its room, so the decoder may have more without new input.
    private var mayHaveMore = false
    private var produced = 0
    private var isWaiting = false
    private var isAsking = false

    enum Action {
        case answer(Pull, Piece)
        case ask
    }

    init(_ coding: ContentCoding) { decoder = coding.makeDecoder() }

    /// Takes the answer of the inner body: whether it came from within the question, or nil if nobody waits for it.
    mutating func receive(_ piece: Piece) -> Bool? {
        guard isWaiting else { return nil }
        isWaiting = false
        if case .bytes(let bytes) = piece { input = bytes } else { ending = piece }
        return isAsking
    }

    /// The question has returned: whether its answer is there already.
    mutating func hasAsked() -> Bool {
        isAsking = false
        return !isWaiting
    }

    /// Decodes until there is something to say, or nothing left to decode; nil when nobody has asked.
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
            isAsking = true
            return .ask
        }
        self.pull = nil
        return .answer(pull, piece)
    }

    private mutating func decoded(_ budget: DecodingBudget) throws(ContentCodingError) -> Piece? {
        guard let decoder else { throw ContentCodingError("there is no memory for it") }
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
            PlugboardError(.bodyDecode, "The body's \(coding.rawValue) coding cannot be undone: \(error.reason)."))
    }
}
