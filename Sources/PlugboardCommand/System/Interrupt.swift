import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a closure at the first SIGINT or SIGTERM after `init`. A second signal ends the process at once, and so does
/// the end of `patience`, because a plugin may be stuck.
final class Interrupt {
    /// How long an orderly end may take.
    static let patience = DispatchTimeInterval.seconds(5)

    private static let signals = [SIGINT, SIGTERM]
    private let sources: [any DispatchSourceSignal]
    private let cancellation = Cancellation()

    init() {
        sources = Interrupt.signals.map { [cancellation] number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            let registered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { registered.signal() }
            source.setEventHandler {
                // Both signals may have come before either is handled.
                guard cancellation.request() else { Interrupt.end(by: number) }
                for number in Interrupt.signals { signal(number, SIG_DFL) }
                DispatchQueue.global().asyncAfter(deadline: .now() + Interrupt.patience) { Interrupt.end(by: number) }
            }
            source.resume()
            // The source handles each signal from here on; an earlier one ends the process.
            registered.wait()
            return source
        }
    }

    /// Sets the closure, once. It runs at once if the signal has come already.
    func cancels(_ cancel: @escaping @Sendable () -> Void) { cancellation.set(cancel) }

    /// A later signal ends the process.
    deinit {
        for source in sources { source.cancel() }
        for number in Interrupt.signals { signal(number, SIG_DFL) }
    }

    /// Ends the process with the signal, so that a shell sees 128 plus its number.
    private static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        // Threads of a dispatch queue block all signals.
        var own = sigset_t()
        sigemptyset(&own)
        sigaddset(&own, number)
        pthread_sigmask(SIG_UNBLOCK, &own, nil)
        raise(number)
        _exit(128 + number)
    }
}

/// A closure that runs once, when it is both there and requested.
private final class Cancellation: Sendable {
    private struct State {
        var isRequested = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// False if it was requested before.
    func request() -> Bool {
        let (isFirst, cancel) = state.withLock { state in
            defer { state.isRequested = true }
            return (!state.isRequested, state.isRequested ? nil : state.cancel)
        }
        cancel?()
        return isFirst
    }

    func set(_ cancel: @escaping @Sendable () -> Void) {
        let isRequested = state.withLock { state in
            state.cancel = cancel
            return state.isRequested
        }
        if isRequested { cancel() }
    }
}
