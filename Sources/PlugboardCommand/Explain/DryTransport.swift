import Plugboard
import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization

/// Sends nothing: attempts fail, except for the announced one, which gets no outcome.
final class DryTransport: Transport {
    private let isSilent = Atomic(false)

    /// Announces that the next attempt is the one to explain. Call this on the loop, right before it.
    func keepSilent() { isSilent.store(true, ordering: .relaxed) }

    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt {
        let attempt = DryAttempt(observer)
        if !isSilent.exchange(false, ordering: .relaxed) { loop.enqueue { attempt.cancel() } }
        return attempt
    }

    func forget() {}
    func shutDown() {}
}

private final class DryAttempt: Attempt {
    private let observer: any AttemptObserver
    private let isOver = Atomic(false)

    init(_ observer: any AttemptObserver) { self.observer = observer }

    func cancel() {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        observer.attemptEnded(PlugboardError(.requestDry, "Nothing is sent in a dry run."), Timings())
    }

    func suspend() {}
    func resume() {}
}

extension PlugboardError.Code {
    /// Nothing was sent, because the command `explain` only shows what would be sent.
    static let requestDry: Self = "request.dry"
}
