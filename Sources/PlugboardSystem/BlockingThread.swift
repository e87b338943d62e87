/// A thread of its own for code that may block, which must not block the threads that all tasks share.
package enum BlockingThread {
    /// Runs a closure on a thread of its own, and returns when it is done.
    package static func run(_ body: @escaping @Sendable () -> Void) async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            start {
                body()
                continuation.resume()
            }
        }
    }

    /// Runs a closure on a thread of its own, or on the caller's if the system gives none.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        if !startIfPossible(body) { body() }
    }

    /// Runs a closure on a thread of its own. Returns false if the system gives none.
    package static func startIfPossible(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        guard create(&thread, body) == 0 else { return false }
        pthread_detach(thread)
        return true
    }

    /// Starts a thread that runs a closure, and that the caller joins or detaches. Returns 0, or the error number.
    package static func create(_ thread: inout pthread_t, _ body: @escaping @Sendable () -> Void) -> Int32 {
        let start = Unmanaged.passRetained(Start(body))
        let code = pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, start.toOpaque())
        if code != 0 { start.release() }
        return code
    }

    private final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
