import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a closure at the first SIGINT or SIGTERM. A second signal ends the process at once, and so does the end of
/// `patience`, because a plugin may be stuck.
final class Interrupt {
    /// How long an orderly end may take.
    static let patience = DispatchTimeInterval.seconds(5)

    private static let signals = [SIGINT, SIGTERM]
    private let sources: [any DispatchSourceSignal]

    init(_ cancel: @escaping @Sendable () -> Void) {
        let first = First()
        sources = Interrupt.signals.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            let registered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { registered.signal() }
            source.setEventHandler {
                // Both signals may have come before either handler ran.
                guard first.isTaken() else { Interrupt.end(by: number) }
                for number in Interrupt.signals { signal(number, SIG_DFL) }
                DispatchQueue.global().asyncAfter(deadline: .now() + Interrupt.patience) { Interrupt.end(by: number) }
                cancel()
            }
            source.resume()
            // Only now does the source get the signal. An earlier one ends the process as usual, so that none is lost.
            registered.wait()
            return source
        }
    }

    /// Later signals end the process as usual.
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

/// True for the first call only.
private final class First: Sendable {
    private let isOver = Atomic(false)

    func isTaken() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}
