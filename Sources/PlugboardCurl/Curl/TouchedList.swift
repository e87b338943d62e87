/// The transfers that have to settle in this turn, in the order of their events.
struct TouchedList {
    private var first: TransferState.Pointer?
    private var last: TransferState.Pointer?

    var isEmpty: Bool { first == nil }
    /// The number of calls of `add`.
    private(set) var additions: UInt = 0

    mutating func add(_ state: TransferState.Pointer) {
        additions &+= 1
        if state.pointee.isTouched { return }
        state.pointee.isTouched = true
        if let last { last.pointee.nextTouched = state } else { first = state }
        last = state
    }

    mutating func pop() -> TransferState.Pointer? {
        guard let state = first else { return nil }
        first = state.pointee.nextTouched
        if first == nil { last = nil }
        state.pointee.nextTouched = nil
        state.pointee.isTouched = false
        return state
    }

    mutating func remove(_ state: TransferState.Pointer) {
        guard state.pointee.isTouched else { return }
        var kept = TouchedList()
        kept.additions = additions
        while let other = pop() { if other != state { kept.add(other) } }
        self = kept
    }
}
