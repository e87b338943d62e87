import PlugboardKit

/// What configurations, and programs in code, say to the plugin `cache`.
///
///     .cache { $0.disk = .gibibytes(1) }
public struct CacheSettings: PluginSettings {
    @Setting("Serves several users: private answers are not kept, and the directives for shared caches are obeyed.")
    public var shared = false
    @Setting("Where answers are kept beside memory: file, or memory for nowhere.")
    public var persistence = Persistence.file
    @Setting("The file; a relative path lies in the plugin's data directory. None: cache.sqlite.")
    public var path: String? = nil
    @Setting("Bytes of answers that are kept in memory.")
    public var memory = ByteCount.mebibytes(16)
    @Setting("Bytes of answers that are kept in the file.")
    public var disk = ByteCount.mebibytes(256)
    @Setting("Answers that are kept in memory.", in: 0...10_000_000)
    public var entries = 10_000
    @Setting("Bytes of the largest body that is kept.")
    public var largestBody = ByteCount.mebibytes(64)

    @Setting("How requests use what is stored, unless they say otherwise; as in Fetch.")
    public var mode = CacheMode.default
    @Setting(
        "How long answers are fresh where the server says nothing, by patterns of URLs: * is any text, ? one byte.")
    public var timeToLives: [String: String] = [:]
    @Setting("Lets times to live beat what the server says.")
    public var overrides = false
    @Setting("Answers that were stored under another version are not used.")
    public var version = ""
    @Setting("The version of the program: like version, beside it.")
    public var appVersion = ""
    @Setting("What answers are found by beside the URL: query:NAME, field:NAME, body.")
    public var key: [String] = []
    @Setting("Parameters of the query that answers do not depend on; * stands for any text.")
    public var ignore: [String] = []
    @Setting("Bytes of the largest request body that can be a part of the key.", in: .bytes(0) ... .gibibytes(1))
    public var keyBody = ByteCount.mebibytes(1)

    @Setting(
        "Percent of the time since Last-Modified for which an answer without explicit freshness is fresh.", in: 0...100)
    public var heuristicPercent = 10
    @Setting("The longest time that is assumed so.", in: .zero ... .seconds(315_360_000))
    public var heuristicLimit = Duration.seconds(7 * 86_400)
    @Setting("How long a stale answer is served while the server cannot be reached, if the server does not forbid it.")
    public var staleWhileUnreachable = Duration.seconds(7 * 86_400)
    @Setting("Answers of one key that are kept beside each other: variants, and parts of one body.", in: 1...1000)
    public var variants = 16

    @Setting("Lets identical requests wait for the one that is under way.")
    public var singleFlight = true
    @Setting("How long they wait at most; much less when nothing more comes.", in: .zero ... .seconds(3600))
    public var singleFlightLimit = Duration.seconds(30)
    @Setting("Adds Cache-Status (RFC 9211) to answers.")
    public var cacheStatus = true

    /// Where answers are kept beside memory.
    public enum Persistence: String, WordOption { case file, memory }

    /// All settings at their defaults.
    public init() {}
}
