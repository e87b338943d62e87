import PlugboardEventLoop
import PlugboardKit
import PlugboardTransport
import Synchronization

/// A transport without a network, which ends each attempt as the test's script returns.
///
/// Sendable because its state is under a lock.
package final class MockTransport: Transport {
    package enum Outcome: Sendable {
        /// A head, and a body of these pieces; nil for no body.
        case respond(Int, Fields = Fields(), [String]? = [])
        /// A head without a body, until the attempt is cancelled.
        case head(ResponseHead)
        /// A head, and a body that the test provides.
        case source(Int, Fields = Fields(), any BodySource)
        case failure(PlugboardError)
        /// No outcome, until the attempt is cancelled.
        case silence
        /// This status, within the call that resumes the attempt.
        case whenResumed(Int)
    }

    private struct State {
        var requests: [AttemptRequest] = []
        var cancelled = 0
        var suspended = 0
    }

    private let script: @Sendable (AttemptRequest, Int) -> Outcome
    private let state = Mutex(State())
    /// Admits one for each attempt that begins, and for each that is cancelled.
    package let began = Gate()
    package let cancelled = Gate()

    /// The closure is called on the loop, with the number of the attempt, counted from 1.
    package init(_ script: @escaping @Sendable (AttemptRequest, Int) -> Outcome) { self.script = script }

    /// Responds to every attempt with 200 and this body.
    package convenience init(body: String = "ok") { self.init { _, _ in .respond(200, Fields(), [body]) } }

    /// Responds to every attempt with 200 and these pieces of JSON.
    package static func json(_ pieces: String..., type: String = "application/json") -> MockTransport {
        json(pieces, type: type)
    }

    /// Responds to every attempt with 200 and these pieces of JSON.
    package static func json(_ pieces: [String], type: String = "application/json") -> MockTransport {
        MockTransport { _, _ in .respond(200, ["Content-Type": type], pieces) }
    }

    package var requests: [AttemptRequest] { state.withLock { $0.requests } }
    package var suspensions: Int { state.withLock { $0.suspended } }

    package func perform(
        _ attempt: AttemptRequest, observer: any AttemptObserver, loop: EventLoop
    ) -> any PlugboardTransport.Attempt {
        let number = state.withLock { state in
            state.requests.append(attempt)
            return state.requests.count
        }
        let running = Attempt(observer, self)
        let outcome = script(attempt, number)
        began.admit()
        loop.enqueue { running.carryOut(outcome) }
        return running
    }

    package func forget() {}
    package func shutDown() {}

    private final class Attempt: PlugboardTransport.Attempt {
        private let observer: any AttemptObserver
        private let transport: MockTransport
        private let isOver = Mutex(false)
        private let whenResumed = Mutex<Int?>(nil)
        private let version = Mutex(ResponseHead.Version.http11)

        init(_ observer: any AttemptObserver, _ transport: MockTransport) {
            self.observer = observer
            self.transport = transport
        }

        func carryOut(_ outcome: Outcome) {
            guard !isOver.withLock({ $0 }) else { return }
            switch outcome {
            case .respond(let status, let fields, let pieces):
                let head = ResponseHead(status: status, reason: "", fields: fields)
                observer.attemptReceived(head, body: pieces.map { PiecesSource($0.map { Bytes($0) }) })
                end(nil)
            case .head(let head):
                version.withLock { $0 = head.version }
                observer.attemptReceived(head, body: SilentSource())
            case .source(let status, let fields, let source):
                observer.attemptReceived(ResponseHead(status: status, fields: fields), body: source)
                end(nil)
            case .failure(let error): end(error)
            case .silence: break
            case .whenResumed(let status): whenResumed.withLock { $0 = status }
            }
        }

        var sharesConnection: Bool { version.withLock { $0 == .http2 } }

        func cancel() {
            transport.cancelled.admit()
            end(PlugboardError(.cancelled, "cancelled"))
        }

        func suspend() { transport.state.withLock { $0.suspended += 1 } }
        func resume() {
            let status = whenResumed.withLock { status in
                defer { status = nil }
                return status
            }
            if let status { carryOut(.respond(status)) }
        }

        private func end(_ error: PlugboardError?) {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if isFirst { observer.attemptEnded(error, Timings()) }
        }
    }
}

/// A body that never has a piece.
private final class SilentSource: BodySource {
    var length: Int? { nil }
    func pull(_ pull: Pull) {}
    func release() {}
}

/// A body of pieces, one for each pull; counts the calls.
package final class PiecesSource: BodySource {
    private struct State {
        var next = 0
        var pulls = 0
        var releases = 0
    }

    private let pieces: [Bytes]
    private let ending: Piece
    private let state = Mutex(State())
    package let canRewind: Bool
    package let released = Gate()

    package init(_ pieces: [Bytes], ending: Piece = .end(trailers: Fields()), canRewind: Bool = false) {
        self.pieces = pieces
        self.ending = ending
        self.canRewind = canRewind
    }

    package convenience init(_ texts: [String], ending: Piece = .end(trailers: Fields()), canRewind: Bool = false) {
        self.init(texts.map { Bytes($0) }, ending: ending, canRewind: canRewind)
    }

    package var pulls: Int { state.withLock { $0.pulls } }
    package var releases: Int { state.withLock { $0.releases } }
    package var length: Int? { nil }

    package func pull(_ pull: Pull) {
        let piece = state.withLock { state -> Piece in
            state.pulls += 1
            guard state.next < pieces.count else { return ending }
            state.next += 1
            return .bytes(pieces[state.next - 1])
        }
        pull.complete(piece)
    }

    package func rewind() -> Bool {
        state.withLock { $0.next = 0 }
        return canRewind
    }

    package func release() {
        state.withLock { $0.releases += 1 }
        released.admit()
    }
}
