/// A transport's part in the turns of a loop. Everything is called on the loop.
protocol LoopParticipant: AnyObject {
    /// A socket that it watches can be read or written, or is broken.
    func socketIsReady(_ socket: Int32, _ readiness: Readiness)

    /// When `settle` is wanted at the latest, in nanoseconds of the system's clock: 0 at once, `Int64.max` never.
    var deadline: Int64 { get }

    /// Called in every turn when sockets, jobs and timers are done: the place for reports.
    func settle()
}
