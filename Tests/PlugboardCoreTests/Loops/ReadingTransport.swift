import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import TestSupport

/// Reads each request's body to its end, writes it down, and responds with 200.
final class ReadingTransport: Transport {
    private let bodies: Record

    init(_ bodies: Record) { self.bodies = bodies }

    func perform(_ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop) -> any Attempt {
        let reading = Reading(attempt.body, observer, loop, bodies)
        loop.enqueue { reading.pull() }
        return reading
    }

    func forget() {}
    func shutDown() {}

    /// Sendable because it is used on the loop only.
    private final class Reading: Attempt, PullReceiver, @unchecked Sendable {
        private let body: (any BodySource)?
        private let observer: any AttemptObserver
        private let loop: EventLoop
        private let bodies: Record
        private var text = ""
        private var isOver = false

        init(_ body: (any BodySource)?, _ observer: any AttemptObserver, _ loop: EventLoop, _ bodies: Record) {
            (self.body, self.observer, self.loop, self.bodies) = (body, observer, loop, bodies)
        }

        func pull() {
            if let body { body.pull(Pull(self)) } else { respond() }
        }

        func receive(_ piece: Piece, serial: UInt64) -> Bool {
            precondition(loop.isCurrent, "A body must bring its pieces on the loop of its exchange.")
            switch piece {
            case .bytes(let bytes):
                text += bytes.text
                pull()
            case .end: respond()
            case .broken(let error): end(error)
            }
            return true
        }

        private func respond() {
            guard !isOver else { return }
            bodies.add(text)
            observer.attemptReceived(ResponseHead(status: 200), body: nil)
            end(nil)
        }

        func cancel() { end(PlugboardError(.cancelled, "cancelled")) }
        func suspend() {}
        func resume() {}

        private func end(_ error: PlugboardError?) {
            guard !isOver else { return }
            isOver = true
            observer.attemptEnded(error, Timings())
        }
    }
}
