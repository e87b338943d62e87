import Plugboard
import PlugboardTransport

/// Completes each attempt at once and from memory, so that what is left to measure is the kernel and its plugins.
final class InstantTransport: Transport {
    private let head: ResponseHead
    private let body: Bytes

    init(_ fields: Fields, body: Bytes) {
        var fields = fields
        fields[.contentLength] = "\(body.count)"
        head = ResponseHead(status: 200, fields: fields)
        self.body = body
    }

    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt {
        loop.enqueue { [self] in
            observer.attemptReceived(head, body: Body.bytes(body).source)
            observer.attemptEnded(nil, Timings())
        }
        return DoneAttempt()
    }

    func forget() {}
    func shutDown() {}
}

private final class DoneAttempt: Attempt {
    func cancel() {}
    func suspend() {}
    func resume() {}
}
