import PlugboardMessages

/// Settings for reconnecting a stream of events.
public struct ServerSentEventSettings: Sendable {
    /// The delay before the first attempt to reconnect, until the server sends another value (`retry`). It doubles
    /// with each attempt that fails. 3 seconds by default.
    public var reconnectionTime: Duration = .seconds(3)
    /// The shortest delay, even if the server requests a shorter one, so that no server makes the program send requests
    /// without a pause. 10 milliseconds by default.
    public var shortestWait: Duration = .milliseconds(10)
    /// The longest delay, even if the server requests a longer one. 5 minutes by default.
    public var longestWait: Duration = .seconds(300)
    /// How many attempts in a row may fail before the sequence throws the last error; nil for any number. Nil by
    /// default.
    ///
    /// If the very first attempt fails, the sequence throws at once.
    public var failureLimit: Int?
    /// The id of the last event of an earlier stream, to continue after it; empty for none.
    public var lastEventID = ""
    /// The most bytes in a line, and in the data of an event. 1 MiB by default.
    public var eventLimit: ByteCount = .mebibytes(1)
    /// Waits for a duration. `Task.sleep(for:)` by default; tests replace it.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Creates the default settings.
    public init() {}
}
