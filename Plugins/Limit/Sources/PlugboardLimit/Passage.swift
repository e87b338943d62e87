import PlugboardKit

/// A turn, or an exchange without one, and what it has of the limits, which it gives back when it is released. Used on
/// the exchange's loop only.
final class Passage {
    let admission: Admission
    /// The fields and attributes that its requests count by, as they were at the beginning.
    let values: [KeyName.Value]
    /// What its latest attempt, or else its request, counts for.
    private(set) var names: [KeyName]
    private let limits: Limits
    private let news: LimitNews
    /// The method and the URL that the names were made from; nil after the first attempt.
    private var admitted: (method: Method, url: String)?
    /// The rule that made it wait, and since when; nil while it does not wait.
    private(set) var wait: (rule: Int, since: Duration)?
    /// The rules in whose metric it is running.
    private var running: [Int] = []

    init(
        _ admission: Admission, _ names: [KeyName], _ values: [KeyName.Value],
        _ admitted: (method: Method, url: String)?, _ limits: Limits, _ news: LimitNews
    ) {
        (self.admission, self.names, self.values, self.admitted) = (admission, names, values, admitted)
        (self.limits, self.news) = (limits, news)
    }

    func beginsToWait(for rule: Int, at now: Duration, _ exchange: UInt64) {
        wait = (rule, now)
        news.beginsToWait(rule, exchange)
    }

    func endsToWait() {
        if let wait { news.endsToWait(wait.rule) }
        wait = nil
    }

    /// Counts an attempt of this method and URL. The first one is what was admitted, unless a plugin changed it.
    func attempt(_ method: Method, _ url: String, _ route: @autoclosure () -> Route, _ rules: LimitRules) {
        defer { admitted = nil }
        if let admitted, admitted == (method, url) { return limits.count(nil, of: admission) }
        attempt(rules.names(method, url, by: route()) { values })
    }

    func attempt(_ names: [KeyName]) {
        self.names = names
        limits.count(names, of: admission)
        run(names)
    }

    /// Shows it as running under the rules of these names.
    func run(_ names: [KeyName]) {
        for name in names where !running.contains(name.rule) {
            news.begins(name.rule)
            running.append(name.rule)
        }
    }

    deinit {
        endsToWait()
        for rule in running { news.ends(rule) }
        limits.leave(admission)
    }
}
