import PlugboardEventLoop
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Every call of a plugin's function goes through `call`, that of the loop on which it is called; on other threads that
/// of any loop.
///
/// It marks which plugin runs, for the watchdog and for the note that a crash leaves, and measures calls where the
/// configuration asks for it.
///
/// Sendable because what changes is set before the first exchange and after the last one; between, it is only read.
final class Containment: @unchecked Sendable {
    private let loop: EventLoop
    let mark: CallMark
    private let sideMarks: SideMarks?
    private var measures: HookMeasures?

    /// - Parameter note: The note that names the plugin after a crash; nil for none.
    init(_ note: CrashNote?, loop: EventLoop, index: Int) {
        self.loop = loop
        mark = CallMark(in: note, loop: index)
        sideMarks = note.map { SideMarks(in: $0) }
    }

    /// Measures calls from here on; before the first exchange.
    func measure(_ measures: HookMeasures) { self.measures = measures }

    /// Calls a function of the plugin in this slot. Hooks of exchanges and pulls are called on the loop, other
    /// functions on any thread. The slot is an index, because there are calls before there is a pipeline.
    @inline(__always)
    func call<Result>(_ slot: Int, _ hook: CalledHook, _ function: () -> Result) -> Result {
        guard hook.isOfExchanges || loop.isCurrent else {
            // On other threads it delays no exchange: only a crash has to name the plugin.
            return sideMarks?.calling(slot, hook, function) ?? function()
        }
        let outer = mark.enter(slot, hook)
        let began = hook.isOfExchanges && measures != nil ? clockTime(CLOCK_MONOTONIC) : 0
        let result = function()
        if began != 0 { count(slot, hook, since: began) }
        mark.leave(outer)
        return result
    }

    /// Calls `onEvent` of several plugins, one after the other, except those that are not wanted when it is their turn.
    /// [loop]
    @inline(__always)
    func callOnEvent(
        of listeners: some Sequence<Listener>, where isWanted: (Listener) -> Bool, _ function: (Listener) -> Void
    ) {
        let outer = mark.current
        if measures == nil {
            for listener in listeners where isWanted(listener) {
                mark.begin(listener.mark)
                function(listener)
            }
        } else {
            for listener in listeners where isWanted(listener) {
                mark.begin(listener.mark)
                let began = clockTime(CLOCK_MONOTONIC)
                function(listener)
                count(listener.index, .onEvent, since: began)
            }
        }
        mark.leave(outer)
    }

    // Not inlined, because it is rare.
    @inline(never)
    private func count(_ slot: Int, _ hook: CalledHook, since began: Int64) {
        measures?.count(slot, hook, nanoseconds: clockTime(CLOCK_MONOTONIC) - began)
    }

    /// The slot of the plugin that runs on the loop; nil if none does, and on other threads. [any]
    var caller: Int? { loop.isCurrent ? mark.call?.slot : nil }

    /// Whether a steering hook runs. [loop]
    var isSteering: Bool { mark.call?.hook.isSteering == true }
}
