import PlugboardKit

/// A number of requests in a period: `100/s`, `600/m`, `5000/h`, `50/10s`.
struct Rate: Sendable, Equatable {
    /// The rate as the rule has it.
    let text: String
    let count: Int
    /// The length of the period in nanoseconds.
    let period: Int64

    /// Nil for a text that is no rate: a number from 1 to a thousand millions, `/`, and a time from 100ms to 24h.
    init?(_ text: String) {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let count = Rate.count(halves[0]) else { return nil }
        let isUnit = halves[1].utf8.first.map { !(0x30...0x39).contains($0) } ?? true
        guard let period = DurationText(isUnit ? "1\(halves[1])" : String(halves[1]))?.duration,
            (.milliseconds(100) ... .seconds(86_400)).contains(period)
        else { return nil }
        (self.text, self.count, self.period) = (text, count, period.nanoseconds)
    }

    /// A number from 1 to a thousand millions in decimal digits; nil for another text.
    static func count(_ text: some StringProtocol) -> Int? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).flatMap { (1...1_000_000_000).contains($0) ? $0 : nil }
    }
}
