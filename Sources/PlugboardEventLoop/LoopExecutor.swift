/// Runs tasks on a loop's thread, so that awaiting an exchange needs no change of thread.
///
///     await withTaskExecutorPreference(kernel.executor) { … }
///
/// A task that blocks there stops all exchanges of the loop, so that programs must choose it explicitly. As soon as the
/// loop is told to stop, tasks run in the shared pool.
public final class LoopExecutor: TaskExecutor {
    private let inbox: Inbox

    init(inbox: Inbox) { self.inbox = inbox }

    /// Called by the concurrency runtime, on any thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !inbox.deliver(.task(job)) { globalConcurrentExecutor.enqueue(job) }
    }
}
