import PlugboardKit

/// How long answers are fresh by the configuration's word: by patterns of URLs, of which the longest that fits counts.
struct TimesToLive: Sendable {
    private let patterns: [Entry]

    private struct Entry: Sendable {
        let text: String
        let pattern: URLPattern
        let duration: Duration
    }

    init(_ patterns: [String: String]) throws(PlugboardError) {
        var entries: [Entry] = []
        for (pattern, text) in patterns {
            guard let duration = Duration(configured: text) else {
                throw PlugboardError(
                    .configuration, "timeToLives of cache wants times such as 180s or 1h, not \(text), for \(pattern).")
            }
            entries.append(Entry(text: pattern, pattern: URLPattern(pattern), duration: duration))
        }
        self.patterns = entries.sorted { ($1.text.utf8.count, $0.text) < ($0.text.utf8.count, $1.text) }
    }

    func ofURL(_ url: String) -> Duration? {
        if patterns.isEmpty { return nil }
        return patterns.first { $0.pattern.fits(url) }?.duration
    }
}
