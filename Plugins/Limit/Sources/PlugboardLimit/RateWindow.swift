/// How many requests began lately, for one rate; a pure value that gets the time as an argument, in nanoseconds.
///
/// The time is divided into slots of a 32nd of the rate's period. A slot counts until a whole period has passed since
/// its end. So no period of this length, wherever it begins, has more requests than the rate allows; and room that is
/// used up comes back at most one slot later than with an exact list of all times.
struct RateWindow: Sendable {
    private static let slots = 32

    let rate: Rate
    /// The length of a slot.
    private let width: Int64
    /// The requests of the last 33 slots, each at its number modulo 33.
    private var counts = [Int](repeating: 0, count: RateWindow.slots + 1)
    /// The number of the latest slot.
    private var newest: Int64 = 0
    /// The requests that count now.
    private var total = 0

    init(_ rate: Rate) {
        self.rate = rate
        width = (rate.period + Int64(RateWindow.slots) - 1) / Int64(RateWindow.slots)
    }

    /// The requests that may begin now; below zero after requests that did not ask.
    mutating func left(at now: Int64) -> Int {
        advance(to: now / width)
        return rate.count - total
    }

    /// The time when one more request may begin, if `promised` others begin before it: nil for now, `Int64.max` if that
    /// depends on those.
    mutating func opening(after promised: Int, at now: Int64) -> Int64? {
        var missing = promised + 1 - left(at: now)
        guard missing > 0 else { return nil }
        for slot in newest - Int64(RateWindow.slots)...newest {
            missing -= counts[index(slot)]
            if missing <= 0 { return (slot + Int64(counts.count)) * width }
        }
        return .max
    }

    /// Counts a request that begins.
    mutating func add(at now: Int64) {
        advance(to: now / width)
        counts[index(newest)] += 1
        total += 1
    }

    private mutating func advance(to slot: Int64) {
        guard slot > newest else { return }
        let passed = min(slot - newest, Int64(counts.count))
        newest = slot
        for old in newest - passed + 1...newest {
            total -= counts[index(old)]
            counts[index(old)] = 0
        }
    }

    /// Slots before the beginning of the clock have numbers below zero.
    private func index(_ slot: Int64) -> Int {
        let rest = Int(slot % Int64(counts.count))
        return rest < 0 ? rest + counts.count : rest
    }
}
