/// Assigns the bytes of a file to workers. A pure value.
///
/// A worker claims a range, and receives its bytes from the first on. A worker without a claim gets bytes that are
/// missing and not claimed, or the second half of the largest claim.
struct SegmentPlan: Sendable {
    let length: Int
    /// The smallest size of a claim after a division, in bytes.
    let minimum: Int
    private(set) var received: ByteRanges
    /// Ranges that no worker has claimed.
    private var free: [Range<Int>]
    private var claims: [Int: Claim] = [:]

    private struct Claim {
        /// The bytes that the worker still has to receive. The first is the next one of its response.
        var rest: Range<Int>
        /// The end of the response's bytes, which may be after the claim.
        var end: Int
        /// Whether the worker has received a byte.
        var isBegun = false
    }

    init(length: Int, received: ByteRanges, minimum: Int) {
        self.length = length
        self.received = received
        self.minimum = max(minimum, 1)
        free = received.missing(below: length)
    }

    var isComplete: Bool { received.prefix == length }

    /// Whether there are bytes for another worker.
    var hasWork: Bool { !free.isEmpty || largest != nil }

    /// The workers that have a claim, by their numbers.
    var workers: [Int] { claims.keys.sorted() }

    /// Claims bytes for a worker to request; nil if there are none for it.
    mutating func claim(_ worker: Int) -> Range<Int>? {
        giveUp(worker)
        let range: Range<Int>
        if let first = free.first {
            range = first
            free.removeFirst()
        } else if let largest, let claim = claims[largest] {
            let middle = claim.rest.lowerBound + (claim.rest.count + 1) / 2
            range = middle..<claim.rest.upperBound
            claims[largest]?.rest = claim.rest.lowerBound..<middle
        } else {
            return nil
        }
        claims[worker] = Claim(rest: range, end: range.upperBound)
        return range
    }

    /// The worker whose claim can be divided.
    private var largest: Int? {
        let divisible = claims.filter { $0.value.rest.count >= 2 * minimum }
        // Between equal claims the number decides, so that a plan is reproducible.
        return divisible.max { ($0.value.rest.count, -$0.key) < ($1.value.rest.count, -$1.key) }?.key
    }

    /// Notes that a worker has a response with the bytes up to `end`, which may be fewer or more than it claimed.
    mutating func covers(_ worker: Int, upTo end: Int) { claims[worker]?.end = end }

    /// Takes the next bytes of a worker's claim, at most `count`, and notes them as received. Takes fewer if the rest
    /// of its response belongs to other workers.
    ///
    /// - Parameter offset: The offset in the file of the next byte of the worker's response. A claim that begins
    ///   elsewhere is given up, and nothing is taken.
    mutating func take(_ count: Int, at offset: Int, _ worker: Int) -> Range<Int> {
        guard var claim = claims[worker] else { return offset..<offset }
        guard claim.rest.lowerBound == offset else {
            giveUp(worker)
            return offset..<offset
        }
        extend(&claim)
        let taken = offset..<min(offset + count, claim.rest.upperBound)
        claim.rest = taken.upperBound..<claim.rest.upperBound
        claim.isBegun = claim.isBegun || !taken.isEmpty
        claims[worker] = claim
        return taken
    }

    mutating func insert(_ range: Range<Int>) { received.insert(range) }

    /// Notes that received bytes are wrong and must be received again.
    mutating func lose(_ range: Range<Int>) {
        received.remove(range)
        release(range)
    }

    /// Whether a worker still has bytes to take from its response.
    mutating func goesOn(_ worker: Int) -> Bool {
        guard var claim = claims[worker] else { return false }
        extend(&claim)
        claims[worker] = claim
        return !claim.rest.isEmpty
    }

    /// Extends an empty claim by the bytes that follow, if the response has them and another worker has given them up
    /// or has not received any of them.
    private mutating func extend(_ claim: inout Claim) {
        let next = claim.rest.lowerBound
        guard claim.rest.isEmpty, claim.end > next else { return }
        if let index = free.firstIndex(where: { $0.lowerBound == next }) {
            let end = min(claim.end, free[index].upperBound)
            claim.rest = next..<end
            if end < free[index].upperBound {
                free[index] = end..<free[index].upperBound
            } else {
                free.remove(at: index)
            }
        } else if let (other, late) = claims.first(where: {
            $0.value.rest.lowerBound == next && !$0.value.rest.isEmpty && !$0.value.isBegun
        }), late.rest.upperBound <= claim.end {
            claim.rest = late.rest
            // The response of the other worker, which begins here, is then of no use.
            claims[other] = nil
        }
    }

    /// Makes the claim of a worker free for others.
    mutating func giveUp(_ worker: Int) {
        guard let claim = claims.removeValue(forKey: worker), !claim.rest.isEmpty else { return }
        release(claim.rest)
    }

    private mutating func release(_ range: Range<Int>) {
        let index = free.firstIndex { $0.lowerBound > range.lowerBound } ?? free.endIndex
        free.insert(range, at: index)
    }
}
