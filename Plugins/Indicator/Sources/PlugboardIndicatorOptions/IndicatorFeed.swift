import PlugboardKit
import Synchronization

/// The facts of the plugin `indicator` for a program that shows them in controls of its own: as callbacks, as a
/// sequence, and as the present state.
///
///     let feed = IndicatorFeed()
///     let kernel = try Kernel(plugins: [.indicator { $0.terminal = "off" }], watch: { feed.receive($0) })
///     for await fact in feed.facts { button.isEnabled = !feed.isActive("save") }
///
/// It works alike for a plugin that is linked and one that is loaded. From any thread.
public final class IndicatorFeed: Sendable {
    private struct State {
        var active: [UInt64: IndicatorFact] = [:]
        var isShown = false
        var callbacks: [@Sendable (IndicatorFact) -> Void] = []
        var streams: [AsyncStream<IndicatorFact>.Continuation] = []
    }

    private let state = Mutex(State())

    /// A feed that has received nothing.
    public init() {}

    deinit { for stream in state.withLock({ $0.streams }) { stream.finish() } }

    /// Receives an event of the kernel, as `Kernel(watch:)` gets it. Events of others are ignored.
    ///
    /// - Parameter text: Returns a detail of the event.
    public func receive(id: String, text: (String) -> String?) {
        guard let fact = IndicatorFact(id: id, text: text) else { return }
        let (callbacks, streams) = state.withLock { state in
            switch fact.kind {
            case .willStart, .progress, .suspended, .resumed:
                if fact.kind == .willStart || state.active[fact.exchange] != nil { state.active[fact.exchange] = fact }
            case .didComplete: state.active[fact.exchange] = nil
            case .shown: state.isShown = true
            case .hidden: state.isShown = false
            case .cancelled, .willComplete: break
            }
            return (state.callbacks, state.streams)
        }
        for callback in callbacks { callback(fact) }
        for stream in streams { stream.yield(fact) }
    }

    /// Calls a closure with each fact from now on, on the kernel's loop, where it must not block.
    public func onFact(_ callback: @escaping @Sendable (IndicatorFact) -> Void) {
        state.withLock { $0.callbacks.append(callback) }
    }

    /// All facts from now on. Of those that the reader has not taken, the last 1000 are kept.
    public var facts: AsyncStream<IndicatorFact> {
        let (stream, input) = AsyncStream.makeStream(of: IndicatorFact.self, bufferingPolicy: .bufferingNewest(1000))
        state.withLock { $0.streams.append(input) }
        return stream
    }

    /// The last fact of each request that is under way, the oldest request first.
    public var active: [IndicatorFact] { state.withLock { $0.active.values.sorted { $0.exchange < $1.exchange } } }

    /// Whether a request has been under way for longer than `delay`: whether an indicator is to be shown.
    public var isShown: Bool { state.withLock { $0.isShown } }

    /// Whether the user has to wait for one of the requests under way.
    public var isModal: Bool { state.withLock { $0.active.values.contains { $0.isModal } } }

    /// Whether a request that belongs to this control is under way.
    public func isActive(_ control: String) -> Bool {
        state.withLock { $0.active.values.contains { $0.control == control } }
    }
}
