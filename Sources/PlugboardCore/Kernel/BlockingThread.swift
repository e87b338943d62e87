#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread for code that may block: commands and stops of plugins. Such code must not block the threads that all tasks
/// share.
enum BlockingThread {
    /// Runs a closure on a thread of its own, and returns when it is done.
    static func run(_ body: @escaping @Sendable () -> Void) async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            start {
                body()
                continuation.resume()
            }
        }
    }

    /// Runs a closure on a thread of its own; where the system gives none, on the caller's.
    static func start(_ body: @escaping @Sendable () -> Void) {
        if !startIfPossible(body) { body() }
    }

    /// Runs a closure on a thread of its own; false where the system gives none.
    static func startIfPossible(_ body: @escaping @Sendable () -> Void) -> Bool {
        let start = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, start.toOpaque())
        if code != 0 { start.release() } else { pthread_detach(thread) }
        return code == 0
    }

    private final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
