import PlugboardKit

/// The settings of the plugin `limit`, for configurations and for programs in code.
///
///     .limit { $0.rules = ["https://api.example.com/*": "100/s, 8 at once"] }
public struct LimitSettings: PluginSettings {
    /// The limits by rule, such as `100/s, 8 at once, by origin`.
    // More would exceed the metrics that the kernel keeps for a plugin.
    @Setting("The limits by rule, such as `100/s, 8 at once, by origin`.", count: 1...300)
    public var rules = ["*": "by origin"]
    /// The longest time that a request waits for room; with 0s it fails at once.
    @Setting(
        "The longest time that a request waits for room; with 0s it fails at once.", in: .zero ... .seconds(86_400))
    public var wait = Duration.seconds(30)
    /// The most requests that wait at the same time; others fail at once.
    @Setting("The most requests that wait at the same time; others fail at once.", in: 0...1_000_000)
    public var waiters = 10_000
    /// The most keys of a rule; further values share one key.
    @Setting("The most keys of a rule; further values share one key.", in: 1...100_000)
    public var keys = 1024
    /// Sends nothing to a server for as long as its responses ask, by Retry-After, RateLimit or X-RateLimit.
    @Setting("Sends nothing to a server for as long as its responses ask, by Retry-After, RateLimit or X-RateLimit.")
    public var learn = true
    /// The longest pause that a server may ask for; a longer one ends after this time.
    @Setting(
        "The longest pause that a server may ask for; a longer one ends after this time.",
        in: .milliseconds(1) ... .seconds(86_400))
    public var pauseLimit = Duration.seconds(60)
    /// Shares the rates with all processes that use the same store, by a plugin that provides `plugboard.store/1`.
    @Setting(
        "Shares the rates with all processes that use the same store, by a plugin that provides `plugboard.store/1`.")
    public var shared = false

    /// All settings at their defaults.
    public init() {}
}
