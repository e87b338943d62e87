import CPlugboardEpoll  // eventfd
import Dispatch
import PlugboardSystem
import Synchronization

/// Runs a closure at the first SIGINT or SIGTERM after `init`. A second signal ends the process at once, and so does
/// the end of `patience`, because a plugin may be stuck. There is one at a time.
///
/// A handler counts the signals. A signal source of libdispatch would lose a signal that comes while the source is
/// cancelled.
final class Interrupt {
    /// How long an orderly end may take.
    static let patience = DispatchTimeInterval.seconds(5)

    private static let signals = [SIGINT, SIGTERM]
    /// How many signals are not taken yet. The source, `deinit` or the handler takes a signal, and handles it.
    private static let pending = Atomic(0)
    private static let latest = Atomic<Int32>(0)
    /// Wakes the source. It is never closed, because the handler may use it late.
    private static let wake = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    private static let isListening = Atomic(false)
    /// Becomes readable when the first signal is handled, and stays so.
    static let requested = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    private let source: (any DispatchSourceRead)?
    private let cancellation = Cancellation()

    init() {
        // Without the descriptor, a signal ends the process.
        guard Interrupt.wake >= 0 else {
            source = nil
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: Interrupt.wake, queue: .global())
        source.setEventHandler { [cancellation] in
            var wakes: eventfd_t = 0
            eventfd_read(Interrupt.wake, &wakes)
            // Both signals may have come before either is handled.
            while let number = Interrupt.take() {
                guard cancellation.request() else { Interrupt.end(by: number) }
                Interrupt.restoreActions()
                eventfd_write(Interrupt.requested, 1)
                DispatchQueue.global().asyncAfter(deadline: .now() + Interrupt.patience) { Interrupt.end(by: number) }
            }
        }
        source.resume()
        self.source = source
        Interrupt.isListening.store(true, ordering: .sequentiallyConsistent)
        for number in Interrupt.signals { signal(number, Interrupt.note) }
    }

    /// Sets the closure, once. It runs at once if the signal has come already.
    func cancels(_ cancel: @escaping @Sendable () -> Void) { cancellation.set(cancel) }

    /// A later signal ends the process, and so does one that was not handled.
    deinit {
        guard let source else { return }
        Interrupt.restoreActions()
        Interrupt.isListening.store(false, ordering: .sequentiallyConsistent)
        source.cancel()
        if let number = Interrupt.take() { Interrupt.end(by: number) }
    }

    /// Makes SIGQUIT end the process at once, by its default action.
    ///
    /// Swift's runtime treats it as a crash, and so does the runtime of each plugin that is loaded with its own, unless
    /// the action is another than the default one.
    static func endAtQuit() {
        let former = signal(SIGQUIT) { number in
            // It is blocked until this handler returns.
            signal(number, SIG_DFL)
            raise(number)
        }
        // A shell starts background jobs with this signal ignored.
        let isIgnored = unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        if isIgnored { signal(SIGQUIT, SIG_IGN) }
    }

    /// The handler of the signals, in which only functions of signal-safety(7) may be called.
    private static let note: @convention(c) (Int32) -> Void = { number in
        let error = errno
        Interrupt.latest.store(number, ordering: .sequentiallyConsistent)
        Interrupt.pending.add(1, ordering: .sequentiallyConsistent)
        eventfd_write(Interrupt.wake, 1)
        // If the source is cancelled, the action is the default one already. The signal may have been handled before.
        if !Interrupt.isListening.load(ordering: .sequentiallyConsistent), Interrupt.take() != nil { raise(number) }
        errno = error
    }

    /// The latest signal, once for each signal that has come.
    private static func take() -> Int32? {
        var count = pending.load(ordering: .sequentiallyConsistent)
        while count > 0 {
            let (isTaken, current) = pending.compareExchange(
                expected: count, desired: count - 1, ordering: .sequentiallyConsistent)
            if isTaken { return latest.load(ordering: .sequentiallyConsistent) }
            count = current
        }
        return nil
    }

    private static func restoreActions() {
        for number in signals { signal(number, SIG_DFL) }
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
