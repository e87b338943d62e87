import PlugboardMessages

/// What the workers of one file share: the file, and the plan of who receives what.
actor SegmentBoard {
    private let partial: PartialFile
    private var plan: SegmentPlan
    private var growth: SegmentGrowth
    private var trust: SegmentTrust
    private var pace: DownloadPace
    private var limit: SpeedLimit?
    private let resumed: Int
    /// The workers that have a claim and no byte of it yet.
    private var waiting: Set<Int> = []
    /// The number of the first worker that is of no use.
    private var surplus = Int.max

    init(
        _ partial: PartialFile, length: Int, minimum: Int, growth: SegmentGrowth, sources: Int, pace: DownloadPace,
        limit: SpeedLimit?, resumed: Int
    ) {
        self.partial = partial
        self.pace = pace
        self.limit = limit
        self.resumed = resumed
        self.growth = growth
        trust = SegmentTrust(sources: sources)
        plan = SegmentPlan(length: length, received: partial.received, minimum: minimum)
    }

    var isComplete: Bool { plan.isComplete }
    var hasWork: Bool { plan.hasWork }
    /// What the run of the download uses after the workers have ended.
    var paces: (DownloadPace, SpeedLimit?) { (pace, limit) }
    func trusts(_ source: Int) -> Bool { trust.trusts(source) }

    func claim(_ worker: Int, of source: Int) -> Range<Int>? {
        let range = worker < surplus && trust.trusts(source) ? plan.claim(worker) : nil
        if range != nil { waiting.insert(worker) } else { giveUp(worker) }
        return range
    }

    func covers(_ worker: Int, upTo end: Int) { plan.covers(worker, upTo: end) }

    func giveUp(_ worker: Int) {
        plan.giveUp(worker)
        waiting.remove(worker)
    }

    /// - Parameters:
    ///   - workers: How many have been begun.
    ///   - hasFailed: Whether the server of one of the last was of no use.
    func grow(_ workers: Int, hasFailed: Bool) -> SegmentGrowth.Step {
        // More requests would have nothing to receive; a part that is lost or given up is work again.
        guard hasWork else { return .wait }
        let step = growth.step(
            now: .now, count: plan.received.count, isWaiting: !waiting.isEmpty, hasFailed: hasFailed)
        if case .keep(let kept) = step {
            surplus = kept
            // What they have claimed, the others receive; a response that comes later brings nothing.
            for worker in kept..<max(kept, workers) { giveUp(worker) }
        }
        return step
    }

    /// What a worker does after a piece was written.
    struct Written: Sendable {
        /// How many of its bytes.
        var count = 0
        /// Whether the response still has bytes for the worker.
        var goesOn = false
        var delay = Duration.zero
        /// Pieces of the file that are whole now. The worker verifies them.
        var due: [Int] = []
    }

    /// Writes the next bytes of a worker.
    ///
    /// - Parameter first: The offset of the piece in the file.
    func write(_ piece: Bytes, at first: Int, _ worker: Int, of source: Int) throws(PlugboardError) -> Written {
        waiting.remove(worker)
        var written = Written()
        // A claim that is at its end may go on with bytes that another worker gave up.
        while written.count < piece.count {
            let range = plan.take(piece.count - written.count, at: first + written.count, worker)
            guard !range.isEmpty else { break }
            // Until then, the length of the file is what was received.
            if range.lowerBound != partial.received.prefix { try partial.allocate(plan.length) }
            if let hashes = partial.pieces?.hashes { trust.note(source, hashes.pieces(of: range)) }
            let end = written.count + range.count
            try piece[written.count..<end].withUnsafeBytes { bytes throws(PlugboardError) in
                written.due += try partial.write(bytes, at: range.lowerBound)
            }
            plan.insert(range)
            written.count = end
        }
        pace.tell(DownloadProgress(received: plan.received.count, resumed: resumed, total: plan.length))
        written.goesOn = trust.trusts(source) && plan.goesOn(worker)
        written.delay = limit?.delay(after: written.count, now: .now) ?? .zero
        return written
    }

    /// These pieces could not be verified.
    func postpone(_ pieces: [Int]) { partial.pieces?.postpone(pieces) }

    /// A piece was verified.
    func judge(_ piece: Int, isRight: Bool) throws(PlugboardError) {
        trust.judge(piece, isRight: isRight)
        if isRight { return partial.prove(piece) }
        if let range = partial.pieces?.hashes.range(piece) { plan.lose(range) }
        try partial.lose(piece)
    }
}
