import PlugboardKit
import Synchronization

/// The facts of the plugin `indicator` for a program that shows them in controls of its own: as callbacks, as a
/// sequence, and as the present state.
///
///     let feed = IndicatorFeed()
///     let kernel = try Kernel(plugins: [.indicator { $0.terminal = "off" }], watch: { feed.receive($0) })
///     for await fact in feed.facts { button.isEnabled = !feed.isActive("save") }
///
/// It works alike for a plugin that is linked and one that is loaded. From any thread. Each kernel needs a feed of its
/// own.
public final class IndicatorFeed: Sendable {
    private struct State {
        var active: [UInt64: IndicatorFact] = [:]
        var isShown = false
        /// The callbacks by number, so that each can be removed.
        var callbacks: [UInt64: @Sendable (IndicatorFact) -> Void] = [:]
        var streams: [UInt64: AsyncStream<IndicatorFact>.Continuation] = [:]
        var added: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A feed that has received nothing.
    public init() {}

    deinit { for stream in state.withLock({ $0.streams }).values { stream.finish() } }

    /// Receives an event of the kernel, as `Kernel(watch:)` gets it. Events of others are ignored. The plugin publishes
    /// its facts one after another, also if the kernel has several loops.
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
            return (state.callbacks.values, state.streams.values)
        }
        for callback in callbacks { callback(fact) }
        for stream in streams { stream.yield(fact) }
    }

    /// Calls a closure with each fact from now on: one call at a time, in the order in which it happened, on any of the
    /// kernel's loops, where it must not block. `active`, `isShown` and the others then include the fact.
    ///
    /// Returns a closure that ends the calls.
    @discardableResult
    public func onFact(_ callback: @escaping @Sendable (IndicatorFact) -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.added += 1
            state.callbacks[state.added] = callback
            return state.added
        }
        return { [weak self] in self?.state.withLock { $0.callbacks[number] = nil } }
    }

    /// All facts from now on, until the reader ends. Of the facts that it has not read, the last 1000 are kept.
    public var facts: AsyncStream<IndicatorFact> {
        let (stream, input) = AsyncStream.makeStream(of: IndicatorFact.self, bufferingPolicy: .bufferingNewest(1000))
        let number = state.withLock { state in
            state.added += 1
            state.streams[state.added] = input
            return state.added
        }
        input.onTermination = { [weak self] _ in
            // The feed's end terminates its streams too, which need no removal then.
            self?.state.withLock { _ = $0.streams.removeValue(forKey: number) }
        }
        return stream
    }

    /// How many readers of facts and callbacks there are.
    var listenerCount: Int { state.withLock { $0.callbacks.count + $0.streams.count } }

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
