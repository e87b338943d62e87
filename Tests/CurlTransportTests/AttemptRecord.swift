import PlugboardCurl
import PlugboardTransport
import Synchronization
import TestSupport

/// Records the reports of one attempt, in order.
final class AttemptRecord: AttemptObserver {
    enum Note: Equatable {
        case reached(Milestone)
        case interim(Int)
        case head(Int)
        case progress(TransferProgress)
        case ended(PlugboardError.Code?)
    }

    struct State {
        var notes: [Note] = []
        var interims: [ResponseHead] = []
        var head: ResponseHead?
        var body: (any BodySource)?
        var error: PlugboardError?
        var timings = Timings()
    }

    let state = Mutex(State())
    let headOrEnd = Gate()
    let end = Gate()
    private let onHead: (@Sendable ((any BodySource)?) -> Void)?

    init(onHead: (@Sendable ((any BodySource)?) -> Void)? = nil) { self.onHead = onHead }

    var notes: [Note] { state.withLock { $0.notes } }

    func attemptReached(_ milestone: Milestone) { state.withLock { $0.notes.append(.reached(milestone)) } }

    func attemptReceived(interim: ResponseHead) {
        state.withLock {
            $0.notes.append(.interim(interim.status))
            $0.interims.append(interim)
        }
    }

    func attemptReceived(_ head: ResponseHead, body: (any BodySource)?) {
        state.withLock {
            $0.notes.append(.head(head.status))
            $0.head = head
            $0.body = body
        }
        onHead?(body)
        headOrEnd.admit()
    }

    func attemptProgressed(_ progress: TransferProgress) { state.withLock { $0.notes.append(.progress(progress)) } }

    func attemptEnded(_ error: PlugboardError?, _ timings: Timings) {
        state.withLock {
            $0.notes.append(.ended(error?.code))
            $0.error = error
            $0.timings = timings
        }
        headOrEnd.admit()
        end.admit()
    }
}
