/// Tracks which servers have sent which pieces of a file, and which have sent wrong pieces. A pure value.
struct SegmentTrust: Sendable {
    private let sources: Int
    /// The servers of the bytes of pieces that have not been verified.
    private var senders: [Int: Set<Int>] = [:]
    private var strikes: [Int: Int] = [:]
    private static let limit = 3

    init(sources: Int) { self.sources = sources }

    mutating func note(_ source: Int, _ pieces: ClosedRange<Int>) {
        for piece in pieces { senders[piece, default: []].insert(source) }
    }

    /// Notes whether a piece is right or wrong.
    ///
    /// A server that alone has sent a wrong piece is not used again if there is another. The only server gets two more
    /// attempts, because bytes can also change on their way, and so do servers that have sent a wrong piece together.
    mutating func judge(_ piece: Int, isRight: Bool) {
        guard let own = senders.removeValue(forKey: piece), !isRight else { return }
        let others = (0..<sources).contains { !own.contains($0) && trusts($0) }
        for source in own {
            strikes[source, default: 0] += own.count == 1 && others ? SegmentTrust.limit : 1
        }
    }

    /// Excludes a server that does not send what it announces.
    mutating func ban(_ source: Int) { strikes[source] = SegmentTrust.limit }

    func trusts(_ source: Int) -> Bool { strikes[source, default: 0] < SegmentTrust.limit }
}
