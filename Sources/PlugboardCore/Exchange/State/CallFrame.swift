import CPlugboard
import PlugboardBorder

/// The current call of a plugin's function: for which plugin the functions of the host act, and what they may do.
struct CallFrame {
    /// Unmanaged to avoid reference counting: the pipeline keeps its slots.
    var caller: Unmanaged<Slot>?
    /// Whether it is a steering hook, whose verdict counts.
    var isSteering: Bool

    /// A frame without a call.
    init() { (caller, isSteering) = (nil, false) }

    @inline(__always)
    init(_ slot: Unmanaged<Slot>, _ hook: CalledHook) {
        caller = slot
        isSteering = hook.isSteering
    }

    var slot: Slot? { caller?.takeUnretainedValue() }
    /// The index of the slot of the plugin that is called, read without reference counting.
    var slotIndex: Int? { caller?._withUnsafeGuaranteedRef { $0.index } }
    var isEmpty: Bool { caller == nil }
}

/// What a steering hook leaves for the kernel until it returns: the payload of its verdict, and the bodies that it has
/// taken.
struct HookDraft {
    var payload: Decision? { didSet { isUsed = true } }
    /// Why the host refused a verdict.
    var refusal: String? { didSet { isUsed = true } }
    var takenRequestBody: BodyNode? { didSet { isUsed = true } }
    var takenResponseBody: BodyNode? { didSet { isUsed = true } }
    /// The whole body that the hook has looked at, kept until it returns, whatever the hook does with the body.
    var shownBody: Bytes? { didSet { isUsed = true } }

    /// False after a hook that does nothing, as most do: only this flag is read then.
    var isUsed = false

    /// Whether nothing is left of what the hook has done.
    var isEmpty: Bool {
        payload == nil && refusal == nil && takenRequestBody == nil && takenResponseBody == nil && shownBody == nil
    }
}

/// What is kept for plugins of what they saw of one exchange, until the outermost hook returns.
struct ExchangeViews {
    typealias AttributeList = [(name: String, value: String)]

    // Whether bytes of the fields were handed out since the last edit.
    private var wasRequestRead = false
    private var wasResponseRead = false
    /// Texts that were handed out; lent by the loop until the outermost hook returns.
    private var copies: Scratch?
    /// The attributes as the plugin of one slot sees them, once it has asked for them by index.
    private var attributes: (slot: Int, list: AttributeList)?
    /// Whether there is something to drop when the outermost hook returns.
    private(set) var isInUse = false

    /// Called when bytes of a head's fields are handed out.
    @inline(__always)
    mutating func noteReading(_ isRequest: Bool) {
        if isRequest { wasRequestRead = true } else { wasResponseRead = true }
    }

    /// Whether bytes of a head's fields were handed out, which must stay when the fields are edited now.
    mutating func takeReading(_ isRequest: Bool) -> Bool {
        defer { if isRequest { wasRequestRead = false } else { wasResponseRead = false } }
        return isRequest ? wasRequestRead : wasResponseRead
    }

    mutating func scratch(of home: KernelLoop) -> Scratch {
        if let copies { return copies }
        isInUse = true
        let lent = home.idleScratch.take() ?? Scratch()
        copies = lent
        return lent
    }

    func attributes(of slot: Int) -> AttributeList? { attributes?.slot == slot ? attributes?.list : nil }

    mutating func keep(_ list: AttributeList, of slot: Int) {
        isInUse = true
        attributes = (slot, list)
    }

    /// Called when an attribute has changed.
    mutating func dropAttributes() { attributes = nil }

    /// Called when the outermost call has returned.
    mutating func clear(_ home: KernelLoop) {
        if let lent = copies.take() {
            lent.clear()
            home.idleScratch = lent
        }
        attributes = nil
        isInUse = false
    }
}
