import PlugboardMessages

/// What the workers of one file share: the file, and the plan of who receives what.
actor SegmentBoard {
    private let partial: PartialFile
    private var plan: SegmentPlan
    private var growth: SegmentGrowth
    private var pace: ProgressPace
    private var limit: SpeedLimit?
    private let resumed: Int
    /// The workers that have a claim and no byte of it yet.
    private var waiting: Set<Int> = []

    init(
        _ partial: PartialFile, length: Int, minimum: Int, pace: ProgressPace, limit: SpeedLimit?, resumed: Int
    ) {
        self.partial = partial
        self.pace = pace
        self.limit = limit
        self.resumed = resumed
        plan = SegmentPlan(length: length, received: partial.received, minimum: minimum)
        growth = SegmentGrowth(now: .now, count: partial.count)
    }

    var isComplete: Bool { plan.isComplete }
    var hasWork: Bool { plan.hasWork }
    /// What the run of the download uses after the workers have ended.
    var paces: (ProgressPace, SpeedLimit?) { (pace, limit) }

    func claim(_ worker: Int) -> Range<Int>? {
        let range = plan.claim(worker)
        if range != nil { waiting.insert(worker) } else { waiting.remove(worker) }
        return range
    }

    func covers(_ worker: Int, upTo end: Int) { plan.covers(worker, upTo: end) }

    func giveUp(_ worker: Int) {
        plan.giveUp(worker)
        waiting.remove(worker)
    }

    func grow() -> SegmentGrowth.Step {
        let step = growth.step(now: .now, count: plan.received.count, isWaiting: !waiting.isEmpty)
        if step == .stop { plan.divides = false }
        return step
    }

    /// Writes the next bytes of a worker. The worker then waits for the delay, and goes on with its response if that
    /// still has bytes for it.
    ///
    /// - Parameter first: The offset of the piece in the file.
    func write(
        _ piece: Bytes, at first: Int, _ worker: Int
    ) throws(PlugboardError) -> (count: Int, goesOn: Bool, delay: Duration) {
        waiting.remove(worker)
        var offset = 0
        // A claim that is at its end may go on with bytes that another worker gave up.
        while offset < piece.count {
            let range = plan.take(piece.count - offset, at: first + offset, worker)
            guard !range.isEmpty else { break }
            // Until then, the length of the file is what was received.
            if range.lowerBound != partial.received.prefix { try partial.allocate(plan.length) }
            try piece[offset..<offset + range.count].withUnsafeBytes { bytes throws(PlugboardError) in
                try partial.write(bytes, at: range.lowerBound)
            }
            plan.insert(range)
            offset += range.count
        }
        pace.tell(DownloadProgress(received: plan.received.count, resumed: resumed, total: plan.length))
        return (offset, plan.goesOn(worker), limit?.delay(after: offset, now: .now) ?? .zero)
    }
}
