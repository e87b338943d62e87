import Glibc
import Synchronization

/// Runs a closure on a thread with a stack of its own size.
enum ThreadStack {
    private final class Job: Sendable {
        let body: @Sendable () throws -> Void
        let outcome = Mutex<Result<Void, any Error>?>(nil)

        init(_ body: @escaping @Sendable () throws -> Void) { self.body = body }
    }

    struct NoThread: Error {}

    static func run(_ size: Int, _ body: @escaping @Sendable () throws -> Void) throws -> Result<Void, any Error> {
        let job = Job(body)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        guard pthread_attr_setstacksize(&attributes, size) == 0,
            pthread_create(
                &thread, &attributes,
                { context in
                    guard let context else { return nil }
                    let job = Unmanaged<Job>.fromOpaque(context).takeRetainedValue()
                    let outcome = Result { try job.body() }
                    job.outcome.withLock { $0 = outcome }
                    return nil
                }, Unmanaged.passRetained(job).toOpaque()) == 0
        else { throw NoThread() }
        pthread_join(thread, nil)
        return job.outcome.withLock { $0 } ?? .failure(NoThread())
    }
}
