/// The options and URLs of a command line of curl up to `--next`.
struct CurlGroup: Sendable {
    enum Output: Sendable, Equatable {
        /// `-o`
        case file(String)
        /// `-O`
        case remoteName
    }

    /// What `-d` and the options like it add to the body.
    enum DataKind: String, Sendable {
        case data = "data"
        case ascii = "data-ascii"
        case binary = "data-binary"
        case raw = "data-raw"
        case encoded = "data-urlencode"
        case json
    }

    /// Words for the options of the verbs that send.
    var words: [String] = []
    /// The values of options that the transfer reads, by their long names.
    var values: [String: String] = [:]
    /// Whether flags are set that the transfer reads, by their long names; false after `--no-`.
    var flags: [String: Bool] = [:]
    /// Options that are refused with TLS and with proxies.
    var (withoutTLS, withoutProxy): ([String], [String]) = ([], [])
    var fields: [String] = []
    var data: [(kind: DataKind, value: String)] = []
    var queries: [String] = []
    var (urls, uploads): ([String], [String]) = ([], [])
    var outputs: [Output] = []

    /// Whether a flag is set.
    subscript(flag: String) -> Bool { flags[flag] ?? false }

    var isEmpty: Bool {
        words.isEmpty && values.isEmpty && flags.isEmpty && fields.isEmpty && data.isEmpty && urls.isEmpty
            && outputs.isEmpty && uploads.isEmpty
    }

    /// A value that must be a number of 0 or more, or -1 where that means no limit.
    func number(_ name: String, allowing least: Int = 0) throws(CommandFailure) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number >= least else {
            throw CommandFailure(.usage, "--\(name) must be a number of \(least) or more.")
        }
        return number
    }

    /// A value in seconds; nil without one, and for less than a millisecond, which is no limit.
    func seconds(_ name: String) throws(CommandFailure) -> Duration? {
        guard let text = values[name], Double(text).map({ !(0..<0.001).contains($0) }) ?? true else { return nil }
        return try Duration.argument(text, "--\(name)")
    }

    /// A value in bytes, to which k, m, g, t or p can be added; nil without one and for 0.
    func bytes(_ name: String) throws(CommandFailure) -> Int? {
        guard var text = values[name]?.lowercased() else { return nil }
        if text.hasSuffix("b") { text.removeLast() }
        let shift = text.last.flatMap { ["k": 10, "m": 20, "g": 30, "t": 40, "p": 50][$0] }
        if shift != nil { text.removeLast() }
        guard let number = Double(text), number >= 0, number * Double(1 << (shift ?? 0)) < 1e18 else {
            throw CommandFailure(.usage, "--\(name) must be a number of bytes like 512, 200k or 1M.")
        }
        let bytes = Int(number * Double(1 << (shift ?? 0)))
        return bytes == 0 ? nil : bytes
    }
}
