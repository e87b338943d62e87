import CacheOptions
import PlugboardKit

/// The settings of the plugin `cache`.
struct CacheSettings: PluginSettings {
    @Setting("Serves several users: does not store private responses, and obeys the directives for shared caches.")
    var shared = false
    @Setting("Where responses are stored in addition to memory: in a file, or in memory only.")
    var persistence = Persistence.file
    @Setting("The file; a relative path starts at the plugin's data directory. Without it, cache.sqlite there.")
    var path: String? = nil
    @Setting("The most bytes of responses in memory.")
    var memory = ByteCount.mebibytes(16)
    @Setting("The most bytes of responses in the file.")
    var disk = ByteCount.mebibytes(256)
    @Setting("The most responses in memory.", in: 0...10_000_000)
    var entries = 10_000
    @Setting("The most bytes of a body that is stored.")
    var largestBody = ByteCount.mebibytes(64)

    @Setting("How requests use stored responses by default, as in Fetch.")
    var mode = CacheMode.default
    @Setting("How long responses are fresh if the server does not specify it, by URL patterns with * and ?.")
    var timeToLives: [String: String] = [:]
    @Setting("Gives the configured times to live precedence over those of the server.")
    var overrides = false
    @Setting("Responses stored under another version are not used.")
    var version = ""
    @Setting("The version of the program; responses stored under another one are not used.")
    var appVersion = ""
    @Setting("Parts of the request that the key contains in addition to the URL: query:NAME, field:NAME, body.")
    var key: [String] = []
    @Setting("Query parameters that the key does not contain; * is any text.")
    var ignore: [String] = []
    @Setting("The most bytes of a request body that the key may contain.", in: .zero ... .gibibytes(1))
    var keyBody = ByteCount.mebibytes(1)

    @Setting(
        "Percent of the time since Last-Modified for which a response without explicit freshness is fresh.",
        in: 0...100)
    var heuristicPercent = 10
    @Setting("The longest freshness assumed from Last-Modified.", in: .zero ... .seconds(315_360_000))
    var heuristicLimit = Duration.seconds(7 * 86_400)
    @Setting("How long a stale response is served while the server is unreachable, if the server does not forbid it.")
    var staleWhileUnreachable = Duration.seconds(7 * 86_400)
    @Setting("The most responses of one key: variants, and parts of one body.", in: 1...1000)
    var variants = 16

    @Setting("Lets identical requests wait for the one under way.")
    var singleFlight = true
    @Setting(
        "The longest time that they wait; less if the response's body stops growing.", in: .zero ... .seconds(3600))
    var singleFlightLimit = Duration.seconds(30)
    @Setting("Adds Cache-Status (RFC 9211) to responses.")
    var cacheStatus = true

    enum Persistence: String, WordOption { case file, memory }

    var policy: CachePolicy {
        CachePolicy(
            isShared: shared, heuristicPercent: heuristicPercent, heuristicLimit: heuristicLimit,
            staleWhileUnreachable: staleWhileUnreachable, variantLimit: variants)
    }
}

extension ByteCount {
    static let zero = ByteCount.bytes(0)
}
