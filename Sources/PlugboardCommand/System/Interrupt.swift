import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a closure at the first Ctrl-C or SIGTERM from `init` on; the second one ends the process as ever.
final class Interrupt {
    private let sources: [any DispatchSourceSignal]

    init(_ cancel: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            let registered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { registered.signal() }
            source.setEventHandler {
                signal(number, SIG_DFL)
                cancel()
            }
            source.resume()
            // A signal that is ignored before somebody waits for it is lost.
            registered.wait()
            signal(number, SIG_IGN)
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }
}
