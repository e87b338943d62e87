import PlugboardMessages

/// The digests of a file's pieces, which all have the same length except for the last (RFC 5854 §4.1.3).
///
/// A piece is verified as soon as all its bytes are received. Only a wrong piece is received again, not the whole file.
public struct PieceHashes: Sendable, Equatable {
    /// The function of all digests.
    public let algorithm: ExpectedDigest.Algorithm
    /// The number of bytes of a piece.
    public let length: Int
    /// The number of bytes of the file.
    public let size: Int
    /// The digests in hexadecimal digits, in lower case, in the order of the file.
    let hexadecimal: [String]

    /// Nil if these are not the digests of all pieces of a file of this size.
    public init?(length: Int, size: Int, digests: [ExpectedDigest]) {
        guard length > 0, size > 0, let algorithm = digests.first?.algorithm,
            digests.allSatisfy({ $0.algorithm == algorithm }), digests.count == (size - 1) / length + 1
        else { return nil }
        self.algorithm = algorithm
        self.length = length
        self.size = size
        hexadecimal = digests.map(\.hexadecimal)
    }

    /// The range of a piece in the file.
    func range(_ piece: Int) -> Range<Int> {
        let start = piece * length
        return start..<start + min(length, size - start)
    }

    /// The pieces that overlap a range, which must not be empty.
    func pieces(of range: Range<Int>) -> ClosedRange<Int> {
        let last = (size - 1) / length
        return min(range.lowerBound / length, last)...min((range.upperBound - 1) / length, last)
    }

    /// Whether the bytes of a piece have its digest. Reads them from the file. Throws `cancelled` soon after the task
    /// was cancelled.
    func holds(_ piece: Int, in file: OpenFile) async throws(PlugboardError) -> Bool {
        var digest = RunningDigest(algorithm)
        let range = range(piece)
        for first in stride(from: range.lowerBound, to: range.upperBound, by: 256 << 10) {
            try DownloadRun.checkCancelled()
            try file.read(first..<min(first + (256 << 10), range.upperBound)) { digest.update($0) }
            await Task.yield()
        }
        return digest.hexadecimal == hexadecimal[piece]
    }

    /// A digest of all digests, which identifies them in a journal.
    var identity: ExpectedDigest? {
        ExpectedDigest("sha-256", Bytes("\(length) \(size) \(hexadecimal.joined(separator: " "))").sha256)
    }
}

/// The pieces of a file that were verified. A pure value.
struct PieceCheck: Sendable {
    let hashes: PieceHashes
    /// The bytes of the verified pieces.
    private(set) var verified: ByteRanges
    /// The pieces that are being verified.
    private var pending: Set<Int> = []

    /// - Parameter verified: The bytes that an earlier download has verified.
    init(_ hashes: PieceHashes, verified: ByteRanges = ByteRanges()) {
        self.hashes = hashes
        self.verified = verified
    }

    /// The pieces of a range that are received completely and must be verified now.
    mutating func due(in range: Range<Int>, of received: ByteRanges) -> [Int] {
        let range = range.clamped(to: 0..<hashes.size)
        guard !range.isEmpty else { return [] }
        return hashes.pieces(of: range).filter { piece in
            let bytes = hashes.range(piece)
            return received.contains(bytes) && !verified.contains(bytes) && pending.insert(piece).inserted
        }
    }

    /// Whether all bytes of a file of this length were verified.
    func covers(_ count: Int) -> Bool { count == hashes.size && verified.contains(0..<count) }

    /// Makes pieces due again that could not be verified.
    mutating func postpone(_ pieces: some Sequence<Int>) { pending.subtract(pieces) }

    mutating func end(_ piece: Int, isRight: Bool) {
        pending.remove(piece)
        if isRight { verified.insert(hashes.range(piece)) }
    }
}
