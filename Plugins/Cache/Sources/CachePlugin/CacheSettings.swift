import CacheOptions
import PlugboardKit

/// What a configuration can say to the plugin `cache`.
struct CacheSettings: PluginSettings {
    @Setting("Serves several users: private answers are not kept, and the directives for shared caches are obeyed.")
    var shared = false
    @Setting("Where answers are kept beside memory: file, or memory for nowhere.")
    var persistence = Persistence.file
    @Setting("The file; a relative path lies in the plugin's data directory. None: cache.sqlite.")
    var path: String? = nil
    @Setting("Bytes of answers that are kept in memory.")
    var memory = ByteCount.mebibytes(16)
    @Setting("Bytes of answers that are kept in the file.")
    var disk = ByteCount.mebibytes(256)
    @Setting("Answers that are kept in memory.", in: 0...10_000_000)
    var entries = 10_000
    @Setting("Bytes of the largest body that is kept.")
    var largestBody = ByteCount.mebibytes(64)

    @Setting("How requests use what is stored, unless they say otherwise; as in Fetch.")
    var mode = CacheMode.default
    @Setting(
        "How long answers are fresh where the server says nothing, by patterns of URLs: * is any text, ? one byte.")
    var timeToLives: [String: String] = [:]
    @Setting("Lets times to live beat what the server says.")
    var overrides = false
    @Setting("Answers that were stored under another version are not used.")
    var version = ""
    @Setting("The version of the program: like version, beside it.")
    var appVersion = ""
    @Setting("What answers are found by beside the URL: query:NAME, field:NAME, body.")
    var key: [String] = []
    @Setting("Parameters of the query that answers do not depend on; * stands for any text.")
    var ignore: [String] = []
    @Setting("Bytes of the largest request body that can be a part of the key.", in: .zero ... .gibibytes(1))
    var keyBody = ByteCount.mebibytes(1)

    @Setting(
        "Percent of the time since Last-Modified for which an answer without explicit freshness is fresh.", in: 0...100)
    var heuristicPercent = 10
    @Setting("The longest time that is assumed so.", in: .zero ... .seconds(315_360_000))
    var heuristicLimit = Duration.seconds(7 * 86_400)
    @Setting("How long a stale answer is served while the server cannot be reached, if the server does not forbid it.")
    var staleWhileUnreachable = Duration.seconds(7 * 86_400)
    @Setting("Answers of one key that are kept beside each other: variants, and parts of one body.", in: 1...1000)
    var variants = 16

    @Setting("Lets identical requests wait for the one that is under way.")
    var singleFlight = true
    @Setting("How long they wait at most; much less when nothing more comes.", in: .zero ... .seconds(3600))
    var singleFlightLimit = Duration.seconds(30)
    @Setting("Adds Cache-Status (RFC 9211) to answers.")
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
