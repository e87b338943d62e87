import CPlugboard

/// A hook of one plugin, with everything that a call of it needs.
///
/// It needs no reference counting: the pipeline keeps the slot, and the kernel keeps the plugin's instance.
struct Callee<Function> {
    let function: Function
    let instance: UnsafeMutableRawPointer
    let slot: Unmanaged<Slot>
    /// The word of its calls in a `CallMark`, without their numbers.
    let mark: UInt64
}

/// One hook of all plugins, by their slots. In memory of its own, so that a call needs no reference counting.
///
/// Unchecked, because the memory behind the pointer is written by `init` only, and slots and instances are used on any
/// loop as the ABI says.
struct HookTable<Function>: ~Copyable, @unchecked Sendable {
    typealias Callees = UnsafePointer<Callee<Function>>

    /// Valid as long as the table.
    let callees: Callees

    /// - Parameters:
    ///   - function: The function of a plugin.
    ///   - none: The function for plugins that do not have the hook.
    init(
        _ slots: [Slot], _ hook: CalledHook, _ function: (plug_plugin_v1) -> Function?, none: Function
    ) {
        let memory = UnsafeMutableBufferPointer<Callee<Function>>.allocate(capacity: max(slots.count, 1))
        for slot in slots {
            memory.initializeElement(
                at: slot.index,
                to: Callee(
                    function: function(slot.plugin.pointee) ?? none, instance: slot.instance,
                    slot: .passUnretained(slot), mark: CallMark.Call(slot.index, hook).word))
        }
        callees = UnsafePointer(memory.baseAddress!)
    }

    deinit { callees.deallocate() }
}

/// The hooks that exchanges call, by the slots of their plugins.
struct HookTables: ~Copyable, Sendable {
    typealias Steering = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> UInt32
    typealias Close = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UInt32) -> Void
    typealias Event = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, OpaquePointer?) -> Void

    let request: HookTable<Steering>
    private let response: HookTable<Steering>
    private let failure: HookTable<Steering>
    let close: HookTable<Close>
    let event: HookTable<Event>

    init(_ slots: [Slot]) {
        let next: Steering = { _, _ in PLUG_VERDICT_NEXT }
        request = HookTable(slots, .onRequest, { $0.on_request }, none: next)
        response = HookTable(slots, .onResponse, { $0.on_response }, none: next)
        failure = HookTable(slots, .onFailure, { $0.on_failure }, none: next)
        close = HookTable(slots, .onClose, { $0.on_close }, none: { _, _, _ in })
        event = HookTable(slots, .onEvent, { $0.on_event }, none: { _, _, _ in })
    }

    /// The steering hooks of a stage.
    @inline(__always)
    func steering(_ stage: Stage) -> HookTable<Steering>.Callees {
        switch stage {
        case .request: request.callees
        case .response: response.callees
        case .failure: failure.callees
        }
    }
}
