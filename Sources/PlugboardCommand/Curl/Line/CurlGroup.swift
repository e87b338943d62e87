import PlugboardMessages

/// The options and URLs of a command line of curl up to `--next`.
struct CurlGroup: Sendable {
    enum Output: Sendable, Equatable {
        /// `-o`
        case file(String)
        /// `-O`
        case remoteName
    }

    /// The kinds of data that `-d` and similar options add to the body.
    enum DataKind: String, Sendable {
        case data = "data"
        case ascii = "data-ascii"
        case binary = "data-binary"
        case raw = "data-raw"
        case encoded = "data-urlencode"
        case json
    }

    /// Options for the parser of the verbs that send.
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

    /// Adds the values and flags of another group, which replace those of the same names.
    mutating func add(_ other: CurlGroup) {
        values.merge(other.values) { _, new in new }
        flags.merge(other.flags) { _, new in new }
    }

    /// Values and flags as words of curl. The request itself has the conditions and the limit of the speed.
    var printed: [String] {
        var words: [String] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key })
        where !["time-cond", "limit-rate", "etag-compare"].contains(name) {
            words += ["--\(name)", value]
        }
        return words + flags.filter(\.value).keys.sorted().filter { $0 != "clobber" }.map { "--\($0)" }
    }

    /// Whether neither errors nor warnings are printed.
    var isQuiet: Bool { self["silent"] && !self["show-error"] }

    /// Whether `--trace` or `--trace-ascii` is given, which replaces what `--verbose` writes.
    var isTraced: Bool { values["trace"] != nil || values["trace-ascii"] != nil }

    /// Removes the options of which only the last one counts: `--trace`, `--trace-ascii` and `--verbose`.
    mutating func removeTraces() {
        words.removeAll { $0 == "--verbose" }
        for name in ["trace", "trace-ascii"] { values[name] = nil }
    }

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

    /// A value in seconds; nil if it is not given or is less than a millisecond, which means no limit.
    func seconds(_ name: String) throws(CommandFailure) -> Duration? {
        guard let text = values[name], Double(text).map({ !(0..<0.001).contains($0) }) ?? true else { return nil }
        return try Duration.argument(text, "--\(name)")
    }

    /// A value in bytes; nil if it is not given or is 0.
    func bytes(_ name: String) throws(CommandFailure) -> Int? {
        try ByteCount.limit(values[name], "--\(name)")?.bytes
    }
}
