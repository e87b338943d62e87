import PlugboardBorder
import PlugboardEventLoop
import PlugboardSystem

/// Every call of a plugin's function goes through `call` of the current loop's containment; on other threads, of any
/// loop's. Exchanges call hooks of several plugins in rounds (`beginRound`) instead, which costs less.
///
/// It marks which plugin runs, for the watchdog and for the note that a crash leaves, and measures calls where the
/// configuration asks for it.
///
/// Sendable because what changes is set before the first exchange and after the last one; between, it is only read.
final class Containment: @unchecked Sendable {
    private let loop: EventLoop
    let mark: CallMark
    private let note: CrashNote?
    private var measures: HookMeasures?

    /// - Parameter note: The note that names the plugin after a crash; nil for none.
    init(_ note: CrashNote?, loop: EventLoop, index: Int) {
        self.loop = loop
        mark = CallMark(in: note, loop: index)
        self.note = note
    }

    /// Begins to measure calls. Called before the first exchange.
    func measure(_ measures: HookMeasures) { self.measures = measures }

    /// Calls a function of the plugin in this slot. Hooks of exchanges and pulls are called on the loop, other
    /// functions on any thread. The slot is an index, because there are calls before there is a pipeline.
    @inline(__always)
    func call<Result>(_ slot: Int, _ hook: CalledHook, _ function: () -> Result) -> Result {
        guard hook.isOfExchanges || loop.isCurrent else {
            // A call on another thread delays no exchange: only the note of a crash has to name the plugin.
            return note?.calling(slot, hook, function) ?? function()
        }
        let round = mark.enter(slot, hook)
        let began = hook.isOfExchanges && measures != nil ? clockTime(CLOCK_MONOTONIC) : 0
        let result = function()
        if began != 0 { count(slot, hook, since: began) }
        round.end()
        return result
    }

    /// Begins calls of hooks that are not measured. [loop]
    @inline(__always)
    func beginRound() -> CallMark.Round { mark.beginRound() }

    /// Whether each call must go through `call`, which measures it.
    @inline(__always)
    var isMeasured: Bool { measures != nil }

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
