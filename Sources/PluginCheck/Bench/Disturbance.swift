import PlugboardCore
import Synchronization

/// Something that happens to an exchange from outside, when it has come to a certain point.
///
/// The points of an exchange are its events, and the pieces of its body that its reader gets.
final class Disturbance: Sendable, CustomStringConvertible {
    enum Kind: String, Sendable {
        case cancel = "cancelled"
        case suspend = "suspended for a moment"
        /// Nothing: the points are counted.
        case watch = "watched"
    }

    private struct State {
        var handle: ExchangeHandle?
        var points: [String] = []
        var isDue = false
    }

    let description: String
    private let kind: Kind
    private let point: Int
    private let state = Mutex(State())

    /// - Parameter point: Counted from 0.
    init(_ kind: Kind, at point: Int = .max, named name: String = "") {
        self.kind = kind
        self.point = point
        description = point == .max ? kind.rawValue : "\(kind.rawValue) at \(name) (point \(point))"
    }

    /// The names of the points that it has come to so far.
    var points: [String] { state.withLock { $0.points } }

    /// The exchange has come to a point. On the loop, or on the reader's thread.
    func saw(_ name: String) {
        let due = state.withLock { state -> ExchangeHandle? in
            state.points.append(name)
            guard state.points.count - 1 == point else { return nil }
            state.isDue = true
            return state.handle
        }
        if let due { strike(due) }
    }

    /// Now, wherever the exchange stands: for those who see a point of their own.
    func strikeNow() {
        let due = state.withLock { state in
            state.isDue = true
            return state.handle
        }
        if let due { strike(due) }
    }

    /// The exchange that is meant; it may have come to the point already.
    func strikes(_ handle: ExchangeHandle) {
        let isDue = state.withLock { state in
            state.handle = handle
            return state.isDue
        }
        if isDue { strike(handle) }
    }

    /// The exchange is over.
    func rest() { state.withLock { $0.handle = nil } }

    private func strike(_ handle: ExchangeHandle) {
        switch kind {
        case .cancel: handle.cancel()
        case .suspend:
            handle.suspend()
            Task.detached { handle.resume() }
        case .watch: break
        }
    }
}
