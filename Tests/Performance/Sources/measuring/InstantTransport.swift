public import PlugboardMessages
public import PlugboardTransport

/// Completes each attempt at once and from memory, so that what is left to measure is the kernel and its plugins.
public final class InstantTransport: Transport {
    private let head: ResponseHead
    private let body: Bytes

    public init(_ fields: Fields, body: Bytes) {
        var fields = fields
        fields[.contentLength] = "\(body.count)"
        head = ResponseHead(status: 200, fields: fields)
        self.body = body
    }

    public func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt {
        loop.enqueue { [self] in
            observer.attemptReceived(head, body: Body.bytes(body).source)
            observer.attemptEnded(nil, Timings())
        }
        return DoneAttempt()
    }

    public func forget() {}
    public func shutDown() {}
}

private final class DoneAttempt: Attempt {
    func cancel() {}
    func suspend() {}
    func resume() {}
}
