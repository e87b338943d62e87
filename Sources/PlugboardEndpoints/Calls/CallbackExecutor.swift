/// Decides on which thread or actor the callbacks of calls run.
///
/// The callbacks of one call run one after the other, in the order that `Call` describes, on any executor.
public struct CallbackExecutor: Sendable {
    let run: @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

    /// Runs callbacks by a closure, which must run the job once, now or later, on any thread.
    ///
    ///     CallbackExecutor { job in DispatchQueue.main.async(execute: job) }
    public init(_ run: @escaping @Sendable (_ job: @escaping @Sendable () -> Void) -> Void) { self.run = run }

    /// Runs callbacks on the thread on which the call ends or the callback is attached. Callbacks must not block it.
    public static let immediate = CallbackExecutor { $0() }

    /// Runs callbacks on the main actor.
    public static let mainActor = CallbackExecutor { job in Task { @MainActor in job() } }

    /// Runs callbacks on a task executor, such as `kernel.executor`.
    public static func task(_ executor: any TaskExecutor) -> CallbackExecutor {
        CallbackExecutor { job in Task(executorPreference: executor) { job() } }
    }

    /// Runs callbacks on the executor of an actor.
    public static func serial(_ executor: any SerialExecutor) -> CallbackExecutor {
        let runner = SerialRunner(executor)
        return CallbackExecutor { job in Task { await runner.run(job) } }
    }
}

/// An actor that runs on a given executor.
private actor SerialRunner {
    private let executor: any SerialExecutor

    init(_ executor: any SerialExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ job: @Sendable () -> Void) { job() }
}
