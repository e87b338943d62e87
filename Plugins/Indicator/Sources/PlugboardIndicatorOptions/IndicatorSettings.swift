import PlugboardKit

/// The settings of the plugin `indicator`, for configurations and for programs in code.
///
///     .indicator { $0.delay = .seconds(1) }
public struct IndicatorSettings: PluginSettings {
    /// How long a request takes before it is shown.
    @Setting("How long a request takes before it is shown.", in: .zero ... .seconds(3600))
    public var delay: Duration = .milliseconds(300)
    /// The time between two drawings.
    @Setting("The time between two drawings.", in: .milliseconds(20) ... .seconds(60))
    public var interval: Duration = .milliseconds(100)
    /// The message of requests that have none of their own.
    @Setting("The message of requests that have none of their own.")
    public var message = "Loading"
    /// The most requests that have a line of their own.
    @Setting("The most requests that have a line of their own.", in: 1...100)
    public var rows = 8
    /// The terminal's path, such as /dev/tty; empty for standard error; off for none.
    @Setting("The terminal's path, such as /dev/tty; empty for standard error; off for none.")
    public var terminal = ""

    /// All settings at their defaults.
    public init() {}
}
