import PlugboardCore
import Synchronization

/// An action on an exchange from outside, at a certain point of it.
///
/// The points of an exchange are its events, and the pieces of its body that its reader gets.
final class Disturbance: Sendable, CustomStringConvertible {
    enum Kind: String, Sendable {
        case cancel = "cancelled"
        case suspend = "suspended for a moment"
        /// No action: the points are counted.
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

    /// - Parameter point: The number of the point, counted from 0.
    init(_ kind: Kind, at point: Int = .max, named name: String = "") {
        self.kind = kind
        self.point = point
        description = point == .max ? kind.rawValue : "\(kind.rawValue) at \(name) (point \(point))"
    }

    /// The names of the points that the exchange has reached so far.
    var points: [String] { state.withLock { $0.points } }

    /// Called when the exchange reaches a point: on the loop, or on the reader's thread.
    func saw(_ name: String) {
        let due = state.withLock { state -> ExchangeHandle? in
            state.points.append(name)
            guard state.points.count - 1 == point else { return nil }
            state.isDue = true
            return state.handle
        }
        if let due { strike(due) }
    }

    /// Acts now, whatever point the exchange has reached.
    func strikeNow() {
        let due = state.withLock { state in
            state.isDue = true
            return state.handle
        }
        if let due { strike(due) }
    }

    /// Sets the exchange to act on, which may have reached the point already.
    func strikes(_ handle: ExchangeHandle) {
        let isDue = state.withLock { state in
            state.handle = handle
            return state.isDue
        }
        if isDue { strike(handle) }
    }

    /// Called when the exchange is over.
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
