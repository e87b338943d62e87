import PlugboardKit

/// The settings of the plugin `cache`, for configurations and for programs in code.
///
///     .cache { $0.disk = .gibibytes(1) }
public struct CacheSettings: PluginSettings {
    /// Serves several users: does not store private responses, and obeys the directives for shared caches.
    @Setting("Serves several users: does not store private responses, and obeys the directives for shared caches.")
    public var shared = false
    /// Where responses are stored in addition to memory: in a file, in the store of a fleet, or in memory only.
    @Setting(
        "Where responses are stored in addition to memory: in a file, in the store of a fleet, or in memory only.")
    public var persistence = Persistence.file
    /// The file; a relative path starts at the configuration's folder. Without it, cache.sqlite in the data directory.
    @Setting(
        "The file; a relative path starts at the configuration's folder. Without it, cache.sqlite in the data directory."
    )
    public var path: String? = nil
    /// The most bytes of responses in memory.
    @Setting("The most bytes of responses in memory.")
    public var memory = ByteCount.mebibytes(16)
    /// The most bytes of responses in the file.
    @Setting("The most bytes of responses in the file.")
    public var disk = ByteCount.mebibytes(256)
    /// The most responses in memory.
    @Setting("The most responses in memory.", in: 0...10_000_000)
    public var entries = 10_000
    /// The most bytes of a body that is stored.
    @Setting("The most bytes of a body that is stored.")
    public var largestBody = ByteCount.mebibytes(64)
    /// The most bytes of a body that is stored in the store of a fleet.
    @Setting(
        "The most bytes of a body that is stored in the store of a fleet.", in: .bytes(0) ... .mebibytes(128))
    public var sharedBody = ByteCount.mebibytes(8)

    /// How requests use stored responses by default, as in Fetch.
    @Setting("How requests use stored responses by default, as in Fetch.")
    public var mode = CacheMode.default
    /// How long responses are fresh if the server does not specify it, by URL patterns with * and ?.
    @Setting(
        "How long responses are fresh if the server does not specify it, by URL patterns with * and ?.")
    public var timeToLives: [String: String] = [:]
    /// Gives the configured times to live precedence over those of the server.
    @Setting("Gives the configured times to live precedence over those of the server.")
    public var overrides = false
    /// Responses stored under another version are not used.
    @Setting("Responses stored under another version are not used.")
    public var version = ""
    /// The version of the program; responses stored under another one are not used.
    @Setting("The version of the program; responses stored under another one are not used.")
    public var appVersion = ""
    /// Parts of the request that the key contains in addition to the URL: query:NAME, field:NAME, body.
    @Setting("Parts of the request that the key contains in addition to the URL: query:NAME, field:NAME, body.")
    public var key: [String] = []
    /// Query parameters that the key does not contain; * is any text.
    @Setting("Query parameters that the key does not contain; * is any text.")
    public var ignore: [String] = []
    /// The most bytes of a request body that the key may contain.
    @Setting("The most bytes of a request body that the key may contain.", in: .bytes(0) ... .gibibytes(1))
    public var keyBody = ByteCount.mebibytes(1)

    /// Percent of the time since Last-Modified for which a response without explicit freshness is fresh.
    @Setting(
        "Percent of the time since Last-Modified for which a response without explicit freshness is fresh.", in: 0...100
    )
    public var heuristicPercent = 10
    /// The longest freshness assumed from Last-Modified.
    @Setting("The longest freshness assumed from Last-Modified.", in: .zero ... .seconds(315_360_000))
    public var heuristicLimit = Duration.seconds(7 * 86_400)
    /// How long a stale response is served while the server is unreachable, if the server does not forbid it.
    @Setting("How long a stale response is served while the server is unreachable, if the server does not forbid it.")
    public var staleWhileUnreachable = Duration.seconds(7 * 86_400)
    /// The most responses of one key: variants, and parts of one body.
    @Setting("The most responses of one key: variants, and parts of one body.", in: 1...1000)
    public var variants = 16

    /// Lets identical requests wait for the one under way.
    @Setting("Lets identical requests wait for the one under way.")
    public var singleFlight = true
    /// The longest wait of identical requests; less if the body stops growing.
    @Setting(
        "The longest wait of identical requests; less if the body stops growing.", in: .zero ... .seconds(3600))
    public var singleFlightLimit = Duration.seconds(30)
    /// Adds Cache-Status (RFC 9211) to responses.
    @Setting("Adds Cache-Status (RFC 9211) to responses.")
    public var cacheStatus = true

    /// Where responses are stored in addition to memory.
    public enum Persistence: String, WordOption {
        /// Stored in a file.
        case file
        /// Kept in memory only.
        case memory
        /// Stored in the store of a fleet: the service `plugboard.store/1`, which the plugin `redis` provides.
        case shared
    }

    /// All settings at their defaults.
    public init() {}
}
