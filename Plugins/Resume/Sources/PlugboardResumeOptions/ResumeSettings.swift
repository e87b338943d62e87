import PlugboardKit

/// The settings of the plugin `resume`, for configurations and for programs in code.
///
///     .resume { $0.attempts = 20 }
public struct ResumeSettings: PluginSettings {
    /// How many requests for the rest may fail in a row without a new byte; 0 mends no body.
    @Setting(
        "How many requests for the rest may fail in a row without a new byte; 0 mends no body.", in: 0...1000)
    public var attempts = 5
    /// The wait before the second request for the rest; it doubles with each request that brings no byte.
    @Setting(
        "The wait before the second request for the rest; it doubles with each request that brings no byte.",
        in: .zero ... .seconds(86_400))
    public var delay: Duration = .milliseconds(250)
    /// The longest wait before a request for the rest.
    @Setting("The longest wait before a request for the rest.", in: .zero ... .seconds(86_400))
    public var delayLimit: Duration = .seconds(30)
    /// The most bytes that are received once more and dropped, where a server sends the whole instead of the rest.
    @Setting(
        "The most bytes that are received once more and dropped, where a server sends the whole instead of the rest.")
    public var repeatLimit: ByteCount = .mebibytes(64)

    /// All settings at their defaults.
    public init() {}
}
