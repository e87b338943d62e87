/// A text with wildcards: `*` stands for any bytes, `?` for one, everything else for itself.
enum WildcardPattern {
    /// Takes time in the order of both lengths multiplied at worst, whatever the pattern.
    static func matches(_ pattern: some StringProtocol, _ text: some StringProtocol) -> Bool {
        let pattern = Array(pattern.utf8)
        let text = Array(text.utf8)
        var (at, place) = (0, 0)
        // Where the last star stands, and up to where it has eaten.
        var star: (pattern: Int, text: Int)?
        while place < text.count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = (at, place)
                at += 1
            } else if at < pattern.count, pattern[at] == text[place] || pattern[at] == UInt8(ascii: "?") {
                at += 1
                place += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                (at, place) = (last.pattern + 1, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
