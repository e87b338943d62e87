/// Which servers have sent which pieces of a file, and which of them have sent wrong ones. A value without effects.
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

    /// A piece is right or wrong.
    ///
    /// A server that has sent a wrong piece alone is used no more if there is another. The only one may repeat itself
    /// twice, because bytes can also change on their way, and so may those that have sent a wrong piece together.
    mutating func judge(_ piece: Int, isRight: Bool) {
        guard let own = senders.removeValue(forKey: piece), !isRight else { return }
        let others = (0..<sources).contains { !own.contains($0) && trusts($0) }
        for source in own {
            strikes[source, default: 0] += own.count == 1 && others ? SegmentTrust.limit : 1
        }
    }

    /// The server does not send what it announces, and is used no more.
    mutating func ban(_ source: Int) { strikes[source] = SegmentTrust.limit }

    func trusts(_ source: Int) -> Bool { strikes[source, default: 0] < SegmentTrust.limit }
}
