import PlugboardBorder

/// Which head is on its way.
enum Stage: Sendable { case request, response, failure }

/// Where the head of one exchange is on its way through the slots, and what comes next.
///
/// It only decides. It calls no plugin, releases no body and knows no loop: `Pipeline.swift` carries out what it
/// decides.
struct Steering {
    /// What the exchange does.
    enum Phase { case deciding, awaiting, flowing, ended }

    /// What the exchange has to do next.
    enum Step: Equatable {
        /// Call the hook of the plugin in this slot.
        case visit(Int)
        /// The request has come through: send it.
        case attempt
        /// The response has come through: give it to the sender.
        case deliver
        /// The failure has come through: give it to the sender.
        case fail
    }

    var phase = Phase.deciding
    private(set) var stage = Stage.request
    /// The slots that the head has not passed in this stage.
    private var ahead = SlotSet(rawValue: .max)
    /// Why the next hook runs.
    var visit = Visit.first
    /// The slots whose turn is open.
    private(set) var turns: SlotSet = []
    var exclusions = Exclusions()

    // MARK: Inward

    /// Begins the request's way, at the outermost slot or further in.
    mutating func begin(at slot: Int) {
        stage = .request
        ahead = SlotSet(rawValue: .max).subtracting(.before(slot))
    }

    /// The slots whose hooks run next, if nothing changes.
    @inline(__always)
    func slotsAhead(_ hooks: HookSlots) -> SlotSet {
        switch stage {
        case .request: hooks.request.subtracting(exclusions.skipped).intersection(ahead)
        case .response: hooks.response.intersection(turns).intersection(ahead)
        case .failure: hooks.failure.intersection(turns).intersection(ahead)
        }
    }

    /// The slot whose hook runs next, or nil when the head has come through. Opens no turns.
    func nextSlot(_ hooks: HookSlots) -> Int? {
        stage == .request ? slotsAhead(hooks).outermost : slotsAhead(hooks).innermost
    }

    /// Decides what comes next. Inward, it opens the turns of the slots that the head has passed by then: a slot that
    /// does not list `onRequest` lets the head pass.
    @inline(__always)
    mutating func step(_ hooks: HookSlots) -> Step {
        let slots = slotsAhead(hooks)
        if stage == .request {
            openTurns(slots.before.intersection(hooks.all))
            return slots.outermost.map { .visit($0) } ?? .attempt
        }
        return slots.innermost.map { .visit($0) } ?? (stage == .response ? .deliver : .fail)
    }

    /// Called when hooks have let the head pass inward. Opens the turns of all these slots.
    @inline(__always)
    mutating func passInward(_ slots: SlotSet) {
        openTurns(slots)
        ahead = SlotSet(rawValue: ~slots.rawValue)
    }

    /// Called when the hook of this slot has let the head pass outward.
    @inline(__always)
    mutating func passOutward(_ slot: Int) { ahead = SlotSet(slot).before }

    /// `next`: inward, it opens the turn of this slot; outward, the head moves on.
    @inline(__always)
    mutating func pass(_ slot: Int) {
        if stage == .request { passInward(.before(slot + 1)) } else { passOutward(slot) }
    }

    @inline(__always)
    private mutating func openTurns(_ slots: SlotSet) { turns.formUnion(slots.subtracting(exclusions.skipped)) }

    // MARK: Outward

    /// Sends a response or a failure outward from this slot, which does not see it. The index may be one past the last
    /// slot.
    mutating func goOutward(_ stage: Stage, from slot: Int) {
        self.stage = stage
        ahead = .before(slot)
    }

    /// `resend`: the request enters again just inside this slot.
    mutating func reenter(inside slot: Int) { begin(at: slot + 1) }

    // MARK: Turns

    /// Closes the innermost open turn whose plugin lists `onClose`, and returns its slot. Nil when there is none left
    /// further in than `limit`; the turns of plugins that do not list the hook are then closed too.
    @inline(__always)
    mutating func closeInnermostTurn(inside limit: Int, _ hooks: HookSlots) -> Int? {
        let inside = turns.subtracting(.before(limit + 1))
        guard let slot = inside.intersection(hooks.close).innermost else {
            turns.subtract(inside)
            return nil
        }
        turns.remove(SlotSet(slot))
        return slot
    }
}

/// The slots that do not take part, or only in part, in one exchange.
struct Exclusions {
    /// Slots whose steering hooks are not called: switched off, or an ancestor of a sub-request.
    private(set) var skipped: SlotSet = []
    /// Slots that get no events: switched off for this exchange, or for the one that a sub-request is for.
    private(set) var eventExclusions: SlotSet = []
    /// The skipped slots that are switched off by what the request, or its origin, says now.
    private var switchedOff: SlotSet = []

    /// - Parameters:
    ///   - ancestry: The slots of the plugins whose sub-requests led to this exchange.
    ///   - eventExclusions: The slots that get no events in the exchange that a sub-request is for.
    init(ancestry: SlotSet = [], eventExclusions: SlotSet = []) {
        skipped = ancestry
        self.eventExclusions = eventExclusions
    }

    /// Called when the exchange begins at this slot. Plugins that are switched off for the whole kernel are left out.
    ///
    /// Slots further out than the start of a sub-request take no part in it, but still get its events: a cookie is
    /// stored, whichever plugin sent the request.
    mutating func begin(at slot: Int, disabled: SlotSet) {
        eventExclusions.formUnion(disabled)
        skipped.formUnion(eventExclusions)
        skipped.formUnion(.before(slot))
    }

    /// Leaves out slots that the request, or its origin, switches off.
    mutating func switchOff(_ slots: SlotSet) {
        eventExclusions.formUnion(slots)
        switchedOff.formUnion(slots.subtracting(skipped))
        skipped.formUnion(slots)
    }

    /// Called when the request goes to another origin. Replaces what was switched off, for slots that it enters again.
    mutating func replaceSwitchedOff(by slots: SlotSet, inside slot: Int) {
        let outside = SlotSet.before(slot + 1)
        let old = switchedOff.subtracting(outside)
        eventExclusions.subtract(old)
        skipped.subtract(old)
        switchedOff.subtract(old)
        switchOff(slots.subtracting(outside))
    }
}
