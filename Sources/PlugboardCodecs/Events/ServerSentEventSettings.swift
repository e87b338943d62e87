import PlugboardMessages

/// How a stream of events connects again.
public struct ServerSentEventSettings: Sendable {
    /// The wait before the first attempt to connect again, until the server sends another one (`retry`). It doubles
    /// with each attempt that fails. 3 seconds by default.
    public var reconnectionTime: Duration = .seconds(3)
    /// The shortest wait, also if the server asks for a shorter one, so that no server makes the program send requests
    /// without a pause. 10 milliseconds by default.
    public var shortestWait: Duration = .milliseconds(10)
    /// The longest wait, also if the server asks for a longer one. 5 minutes by default.
    public var longestWait: Duration = .seconds(300)
    /// How many attempts in a row may fail before the sequence throws the last error; nil for any number. Nil by
    /// default.
    ///
    /// If the first attempt of all fails, the sequence throws at once.
    public var failureLimit: Int?
    /// The id of the last event that an earlier stream had, to continue behind it; empty for none.
    public var lastEventID = ""
    /// The most bytes in a line, and in the data of an event. 1 MiB by default.
    public var eventLimit: ByteCount = .mebibytes(1)
    /// Waits. `Task.sleep(for:)` by default; tests replace it.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// The defaults.
    public init() {}
}
