import PlugboardKit

/// What this process has of a rate that a fleet shares; a value that gets the time as an argument, in nanoseconds.
///
/// A rate is divided into portions, each a key of the store. The process that makes a key may begin that part of the
/// rate's count. The key lives for the rate's period by the engine's clock, so that in no period all processes together
/// take more than the count. Portions are taken when requests wait for them, and ahead of requests as far as the latest
/// ones show; those of which nothing is used go back after a while.
struct RateLease: Sendable {
    /// The most portions that are taken at a time, and the most of a rate.
    static let (takeLimit, portionLimit) = (32, 256)
    /// How often it is asked again at once after other processes were faster.
    private static let contentionLimit = 8

    private struct Portion {
        let number: Int
        var left: Int
        /// Read before the store was asked, so that the portion ends here before it ends there.
        let taken: Int64
        var isUnused: Bool
    }

    private let rate: Rate
    /// What the keys of its portions begin with.
    let keys: String
    private var portions: [Portion] = []
    /// The attempts that began without a portion.
    private var debt = 0
    /// Whether the store is being asked.
    private(set) var isAsked = false
    /// The number of the latest ask.
    private var ask = 0
    /// The replies in a row by which other processes were faster.
    private var contentions = 0
    /// The store is not asked before this time.
    private var nextAsk = Int64.min
    /// The attempts since a multiple of `keep`, and those of the `keep` before it; whether one came since the last ask.
    private var uses: (now: Int, before: Int, number: Int64, isNew: Bool) = (0, 0, .min, false)

    /// - Parameter name: What the processes find the rate by, besides its own text. Only its hash is a part of keys.
    init(_ rate: Rate, of name: String) {
        self.rate = rate
        keys = "limit/1/\(Bytes(Array("\(name)\n\(rate.text)".utf8)).sha256)/"
    }

    /// How long a portion is kept of which nothing is used.
    private var keep: Int64 { min(rate.period / 4, 1_000_000_000) }
    var period: Duration { .nanoseconds(rate.period) }
    var portionCount: Int { min(rate.count, RateLease.portionLimit) }

    /// The key of a portion in the store.
    func key(_ portion: Int) -> String { "\(keys)\(portion)" }

    /// The requests that may begin now.
    func left(at now: Int64) -> Int { held(at: now) - debt }

    private func held(at now: Int64) -> Int {
        portions.reduce(0) { $0 + ($1.taken + rate.period > now ? $1.left : 0) }
    }

    /// Whether the store may still have room for a request that finds none.
    func mayGrow(at now: Int64) -> Bool { isAsked || now >= nextAsk }

    /// Counts an attempt.
    ///
    /// - Parameter isAlone: Whether it needs no portion, because the store has failed. It uses one that is there.
    mutating func use(at now: Int64, isAlone: Bool) {
        let number = now / keep
        if number > uses.number { uses = (0, number - 1 == uses.number ? uses.now : 0, number, true) }
        uses.now += 1
        uses.isNew = true
        guard let index = portions.firstIndex(where: { $0.taken + rate.period > now }) else {
            if !isAlone { debt = min(debt + 1, rate.count) }
            return
        }
        portions[index].left -= 1
        portions[index].isUnused = false
        if portions[index].left == 0 { portions.remove(at: index) }
    }

    /// How many portions to ask the store for now; nil for none. After a number, `took` or `failed` must be called.
    ///
    /// - Parameters:
    ///   - needed: The requests that wait, or have room and are not sent.
    ///   - room: The requests that may begin, as far as this process knows.
    mutating func ask(for needed: Int, room: Int, at now: Int64) -> Int? {
        guard !isAsked, now >= nextAsk else { return nil }
        let held = held(at: now)
        var missing = min(needed + debt, room) - held
        let pace = max(uses.now, uses.before)
        if missing <= 0, uses.isNew, held <= pace / 2 { missing = min(pace, room) - held }
        uses.isNew = false
        guard missing > 0 else { return nil }
        (isAsked, ask) = (true, ask + 1)
        let size = rate.count / portionCount
        return min((missing - 1) / size + 1, RateLease.takeLimit)
    }

    /// Whether the reply to the latest ask of a copy is still to come.
    func isAsked(by copy: RateLease) -> Bool { isAsked && ask == copy.ask }

    /// Adds portions that were taken.
    ///
    /// - Parameter begin: The time when the store was asked.
    mutating func took(_ reply: PortionStore.Reply, from begin: Int64, at now: Int64) {
        isAsked = false
        for number in reply.numbers {
            let size = (number + 1) * rate.count / portionCount - number * rate.count / portionCount
            let paid = min(debt, size)
            debt -= paid
            guard size > paid else { continue }
            portions.append(Portion(number: number, left: size - paid, taken: begin, isUnused: paid == 0))
        }
        contentions = reply.isContended ? contentions + 1 : 0
        if !reply.numbers.isEmpty || contentions % RateLease.contentionLimit > 0 { return }
        // All portions are taken: one is free again at a time that is not known here.
        nextAsk = now + min(max(rate.period / 32, 5_000_000), 1_000_000_000)
    }

    /// Ends an ask without a reply.
    mutating func failed() { isAsked = false }

    /// Forgets the portions that have ended. Returns those that go back: nothing of them is used.
    ///
    /// - Parameter needed: The requests that still need what there is.
    mutating func expire(keeping needed: Int, at now: Int64) -> [Int] {
        let (keep, period) = (keep, rate.period)
        portions.removeAll { now - $0.taken >= period }
        var (spare, unused) = (held(at: now) - debt - needed, [Int]())
        portions.removeAll { portion in
            guard portion.isUnused, now - portion.taken >= keep, spare >= portion.left else { return false }
            spare -= portion.left
            unused.append(portion.number)
            return true
        }
        return unused
    }

    /// Forgets all portions, and an ask under way. Returns those of which nothing is used.
    mutating func end() -> [Int] {
        defer { (portions, debt, nextAsk, isAsked) = ([], 0, .min, false) }
        return portions.filter(\.isUnused).map(\.number)
    }

    /// When it must be looked at again; nil if only requests change it.
    func nextChange(isWaitedFor: Bool, at now: Int64) -> Int64? {
        let end = portions.map { $0.taken + ($0.isUnused && $0.taken + keep > now ? keep : rate.period) }.min()
        return isWaitedFor && !isAsked && nextAsk > now ? min(end ?? .max, nextAsk) : end
    }

    /// Whether a new one would be the same.
    var isSpent: Bool { portions.isEmpty && !isAsked }
}
