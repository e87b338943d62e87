/// The functions of a transport that a loop calls in its turns, on its thread.
///
/// It is a class and not a protocol, so that the table of sockets can refer to it without counting references.
open class LoopParticipant {
    /// A participant that does nothing.
    public init() {}

    /// The latest time at which `settle` must be called, in nanoseconds of the system's clock: 0 for at once,
    /// `Int64.max` for never.
    open var deadline: Int64 { .max }

    /// Called when a watched socket can be read or written, or is broken.
    open func socketIsReady(_ socket: Int32, _ readiness: Readiness) {}

    /// Called when the peer has closed a connection to this host and port that was idle since this time.
    open func idleEnded(_ hostAndPort: String, since: Int64) {}

    /// Called in every turn after sockets, jobs and timers. Transports report to their observers here.
    open func settle() {}
}
