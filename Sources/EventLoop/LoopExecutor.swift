/// Runs tasks on a loop's thread, so that awaiting an exchange costs no change of thread.
///
///     await withTaskExecutorPreference(kernel.executor) { … }
///
/// What blocks there stops every exchange of the loop; so it is for programs that ask for it. When the loop has stopped,
/// tasks go on in the shared pool.
public final class LoopExecutor: TaskExecutor {
    private let inbox: Inbox

    init(inbox: Inbox) { self.inbox = inbox }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !inbox.deliver(.task(job)) { globalConcurrentExecutor.enqueue(job) }
    }
}
