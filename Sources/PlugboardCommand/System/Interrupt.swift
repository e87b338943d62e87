import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a closure at the first Ctrl-C or SIGTERM from `init` on. The second one ends the process at once, and so does
/// time: a plugin that is stuck must not keep what was asked to end.
final class Interrupt {
    /// How long an end in good order may take.
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
                // Both may have come before either was looked at.
                guard first.isTaken() else { Interrupt.end(by: number) }
                for number in Interrupt.signals { signal(number, SIG_DFL) }
                DispatchQueue.global().asyncAfter(deadline: .now() + Interrupt.patience) { Interrupt.end(by: number) }
                cancel()
            }
            source.resume()
            // From here on the signal is the source's: one that comes before ends the process as ever, and none is lost.
            registered.wait()
            return source
        }
    }

    /// What comes from here on ends the process as ever.
    deinit {
        for source in sources { source.cancel() }
        for number in Interrupt.signals { signal(number, SIG_DFL) }
    }

    /// Ends the process as the signal itself would, so that a shell sees 128 and its number.
    private static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        // Threads of a queue have all signals blocked.
        var own = sigset_t()
        sigemptyset(&own)
        sigaddset(&own, number)
        pthread_sigmask(SIG_UNBLOCK, &own, nil)
        raise(number)
        _exit(128 + number)
    }
}

/// Says once that it was the first time.
private final class First: Sendable {
    private let isOver = Atomic(false)

    func isTaken() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}
