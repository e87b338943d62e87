/// The arguments that all clients share.
///
///     URL [--requests N] [--concurrency C] [--rate R] [--length L] [--ca FILE]
///
/// With a rate, requests are sent at planned times; without one, each task sends its next request when it has the
/// response to the last one.
public struct Arguments: Sendable {
    public var url = ""
    public var requests = 1000
    public var concurrency = 64
    /// Requests a second; 0 for as many as possible.
    public var rate = 0
    /// The bytes that each body must have; negative for any number.
    public var length = -1
    /// A file with the only certificates that are trusted.
    public var certificates: String?
    /// What is not one of the arguments above.
    public var others: [String] = []

    public init(_ words: [String]) {
        var words = words[...]
        func number(_ old: Int) -> Int { words.popFirst().flatMap { Int($0) } ?? old }
        while let word = words.popFirst() {
            switch word {
            case "--requests": requests = number(requests)
            case "--concurrency": concurrency = number(concurrency)
            case "--rate": rate = number(rate)
            case "--length": length = number(length)
            case "--ca": certificates = words.popFirst()
            case _ where word.hasPrefix("-") || !url.isEmpty: others.append(word)
            default: url = word
            }
        }
        concurrency = max(min(concurrency, requests), 1)
    }
}
