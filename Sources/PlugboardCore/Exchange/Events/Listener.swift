import CPlugboard

/// A plugin that gets events, with all that a call of its `onEvent` needs: the calls of an event read nothing else.
///
/// It counts no references: the pipeline keeps the slot, and the kernel keeps the plugin's instance.
struct Listener {
    /// The index of its slot.
    let index: Int
    /// The set of its slot alone.
    let bit: SlotSet
    /// The word of its calls in a `CallMark`, without their numbers.
    let mark: UInt64
    /// Unmanaged, because the pipeline keeps its slots.
    private let slot: Unmanaged<Slot>
    private let onEvent: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, OpaquePointer?) -> Void
    private let instance: UnsafeMutableRawPointer

    /// Nil if the plugin gets no events.
    init?(_ slot: Slot) {
        guard slot.hooks.contains(.event), let onEvent = slot.plugin.pointee.on_event else { return nil }
        self.onEvent = onEvent
        index = slot.index
        bit = slot.bit
        mark = CallMark.Call(slot.index, .onEvent).word
        self.slot = .passUnretained(slot)
        instance = slot.instance
    }

    /// What the functions of the host find during a call.
    @inline(__always)
    var frame: CallFrame { CallFrame(slot, .onEvent) }

    /// Calls `onEvent`; without an exchange for a fact about the kernel. [loop]
    @inline(__always)
    func call(_ exchange: OpaquePointer?, _ event: OpaquePointer) { onEvent(instance, exchange, event) }
}
