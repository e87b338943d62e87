/// A transport's part in the turns of a loop. Everything is called on the loop.
///
/// A class and not a protocol, so that the table of sockets can hold it without counting references.
open class LoopParticipant {
    public init() {}

    /// When `settle` is wanted at the latest, in nanoseconds of the system's clock: 0 at once, `Int64.max` never.
    open var deadline: Int64 { .max }

    /// A socket that it watches can be read or written, or is broken.
    open func socketIsReady(_ socket: Int32, _ readiness: Readiness) {}

    /// The other side has ended a connection to this host and port that was idle since then.
    open func idleEnded(_ place: String, since: Int64) {}

    /// Called in every turn when sockets, jobs and timers are done: the place for reports.
    open func settle() {}
}
