import PlugboardMessages

extension PartialFile {
    // MARK: Pieces

    /// Verifies the pieces of the file one by one.
    func verify(_ hashes: PieceHashes?) { pieces = hashes.map { PieceCheck($0) } }

    /// Discards the results of computations on bytes that are no longer valid.
    func dropProofs() {
        journal?.digests = []
        algorithms = []
        digests.begin([], from: [])
        digestsSaved = 0
        trustsStates = false
        flushing?.covers = ByteRanges()
        pieces = pieces.map { PieceCheck($0.hashes) }
    }

    /// All complete pieces that have not been verified. The caller verifies them.
    func duePieces() -> [Int] { pieces?.due(in: 0..<Int.max, of: received) ?? [] }

    /// Notes that a piece has its digest.
    func prove(_ piece: Int) {
        pieces?.end(piece, isRight: true)
        if !algorithms.isEmpty { digests.grow(to: provedPrefix) }
    }

    /// Drops a piece that does not have its digest, so that its bytes are received again.
    func lose(_ piece: Int) throws(PlugboardError) {
        guard let hashes = pieces?.hashes else { return }
        try allocate(hashes.size)
        pieces?.end(piece, isRight: false)
        try remove([hashes.range(piece)])
    }

    /// Drops bytes that are no longer trusted, so that they are received again. The file has its whole length.
    func lose(_ ranges: [Range<Int>]) throws(PlugboardError) {
        guard !ranges.isEmpty else { return }
        let wanted = algorithms
        dropProofs()
        try remove(ranges)
        compute(wanted)
    }

    private func remove(_ ranges: [Range<Int>]) throws(PlugboardError) {
        for range in ranges {
            received.remove(range)
            flushing?.covers.remove(range)
            journal?.synced.remove(range)
        }
        try saveState()
    }

    // MARK: Digests

    /// Computes digests of the existing bytes and all that follow.
    func compute(_ wanted: [ExpectedDigest.Algorithm]) {
        let new = wanted.filter { !algorithms.contains($0) }
        guard !new.isEmpty else { return }
        let known = algorithms.isEmpty ? journal?.digests ?? [] : digests.saved
        trustsStates = trustsStates || algorithms.isEmpty && !known.isEmpty
        algorithms += new
        digests.begin(algorithms, from: known)
        digests.grow(to: provedPrefix)
    }

    /// The first expected digest that the bytes do not have. Waits until the digests are computed.
    func missing(_ expected: [ExpectedDigest]) async throws(PlugboardError) -> ExpectedDigest? {
        guard !expected.isEmpty else { return nil }
        compute(expected.map(\.algorithm))
        var values = try await digests.end(of: count)
        if trustsStates, expected.contains(where: { values[$0.algorithm] != $0.hexadecimal }) {
            // The journal or the bytes may be damaged: all bytes are read before anything is removed.
            trustsStates = false
            digests.begin(algorithms, from: [])
            values = try await digests.end(of: count)
        }
        return expected.first { values[$0.algorithm] != $0.hexadecimal }
    }

    /// The states of the digests that the journal has.
    var digestStates: [RunningDigest.State] { algorithms.isEmpty ? journal?.digests ?? [] : digests.saved }
}
