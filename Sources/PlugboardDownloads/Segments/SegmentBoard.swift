import PlugboardMessages

/// The shared state of the workers of one file: the file, and the plan of the ranges that they receive.
actor SegmentBoard {
    private let partial: PartialFile
    private var plan: SegmentPlan
    private var trial: SegmentTrial
    private var trust: SegmentTrust
    private var pace: DownloadPace
    private var limit: SpeedLimit?
    private let resumed: Int
    /// The bytes that each server has sent.
    private var sent: [Int: ByteRanges] = [:]
    /// The workers that have a claim but have not received a byte.
    private var waiting: Set<Int> = []
    /// The workers that are paused while it is measured whether the others are as fast without them.
    private var held: Set<Int> = []
    /// The workers that do not increase the speed.
    private var surplus: Set<Int> = []

    init(
        _ partial: PartialFile, length: Int, minimum: Int, trial: SegmentTrial, sources: Int, pace: DownloadPace,
        limit: SpeedLimit?, resumed: Int
    ) {
        self.partial = partial
        self.pace = pace
        self.limit = limit
        self.resumed = resumed
        self.trial = trial
        trust = SegmentTrust(sources: sources)
        plan = SegmentPlan(length: length, received: partial.received, minimum: minimum)
    }

    var isComplete: Bool { plan.isComplete }
    var hasWork: Bool { plan.hasWork }
    /// The progress and speed limit, which the run of the download uses after the workers have ended.
    var paces: (DownloadPace, SpeedLimit?) { (pace, limit) }
    func trusts(_ source: Int) -> Bool { trust.trusts(source) }

    func claim(_ worker: Int, of source: Int) -> Range<Int>? {
        let range = !surplus.contains(worker) && trust.trusts(source) ? plan.claim(worker) : nil
        if range != nil { waiting.insert(worker) } else { giveUp(worker) }
        return range
    }

    func covers(_ worker: Int, upTo end: Int) { plan.covers(worker, upTo: end) }

    func giveUp(_ worker: Int) {
        plan.giveUp(worker)
        waiting.remove(worker)
    }

    /// Whether a worker must wait before it continues to receive.
    func holds(_ worker: Int) -> Bool { held.contains(worker) }

    /// Pauses workers, or cancels those that do not help. Returns false when all remaining workers continue.
    func tryFewer(now: ContinuousClock.Instant = .now) -> Bool {
        let running = plan.workers
        let step = trial.step(
            now: now, count: plan.received.count, running: running.count, isWaiting: !waiting.isEmpty)
        // If nothing is left to divide, or the others have ended, the paused workers have the missing bytes.
        switch hasWork && !held.isSuperset(of: running) ? step : .done {
        case .wait: return true
        case .hold(let count):
            held = Set(running.suffix(count))
            return true
        case .giveUp:
            surplus.formUnion(held)
            // The others receive the claimed bytes; bytes that still arrive for the paused workers are dropped.
            for worker in held { giveUp(worker) }
            held = []
            return true
        case .done:
            held = []
            return false
        }
    }

    /// What a worker does after it has written a piece.
    struct Written: Sendable {
        /// The number of written bytes.
        var count = 0
        /// Whether the response still has bytes for the worker.
        var goesOn = false
        /// Whether the worker must wait until the board no longer pauses it.
        var isHeld = false
        var delay = Duration.zero
        /// Pieces of the file that are complete now. The worker verifies them.
        var due: [Int] = []
    }

    /// Writes the next bytes of a worker.
    ///
    /// - Parameter first: The offset of the piece in the file.
    func write(_ piece: Bytes, at first: Int, _ worker: Int, of source: Int) throws(PlugboardError) -> Written {
        waiting.remove(worker)
        var written = Written()
        // A finished claim may be extended by bytes that another worker gave up.
        while written.count < piece.count {
            let range = plan.take(piece.count - written.count, at: first + written.count, worker)
            guard !range.isEmpty else { break }
            // Until then, the length of the file is the number of received bytes.
            if range.lowerBound != partial.received.prefix { try partial.allocate(plan.length) }
            if let hashes = partial.pieces?.hashes { trust.note(source, hashes.pieces(of: range)) }
            let end = written.count + range.count
            try piece[written.count..<end].withUnsafeBytes { bytes throws(PlugboardError) in
                written.due += try partial.write(bytes, at: range.lowerBound)
            }
            plan.insert(range)
            sent[source, default: ByteRanges()].insert(range)
            written.count = end
        }
        pace.tell(TransferProgress(received: plan.received.count, toReceive: plan.length, resumed: resumed))
        written.goesOn = trust.trusts(source) && plan.goesOn(worker)
        written.isHeld = held.contains(worker)
        written.delay = limit?.delay(after: written.count, now: .now) ?? .zero
        return written
    }

    /// Drops all bytes of a mirror that does not send what it announces, so that others send them again.
    func distrust(_ source: Int) throws(PlugboardError) {
        trust.ban(source)
        let ranges = sent.removeValue(forKey: source)?.ranges ?? []
        try partial.allocate(plan.length)
        for range in ranges { plan.lose(range) }
        try partial.lose(ranges)
    }

    /// Notes that these pieces could not be verified.
    func postpone(_ pieces: [Int]) { partial.pieces?.postpone(pieces) }

    /// Notes the result of the verification of a piece.
    func judge(_ piece: Int, isRight: Bool) throws(PlugboardError) {
        trust.judge(piece, isRight: isRight)
        if isRight { return partial.prove(piece) }
        if let range = partial.pieces?.hashes.range(piece) { plan.lose(range) }
        try partial.lose(piece)
    }
}
