import PlugboardBorder

/// A set of slots, one bit for each: a pipeline has at most 64.
struct SlotSet: OptionSet, Sendable {
    /// How many slots a pipeline may have.
    static let limit = UInt64.bitWidth

    let rawValue: UInt64

    @inline(__always)
    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The set of one slot.
    @inline(__always)
    init(_ slot: Int) {
        assert(slot >= 0 && slot < SlotSet.limit)
        rawValue = 1 &<< UInt64(truncatingIfNeeded: slot)
    }

    /// All slots further out than this one. The index may be one past the last slot.
    @inline(__always)
    static func before(_ slot: Int) -> SlotSet {
        SlotSet(rawValue: slot >= limit ? .max : (1 << UInt64(slot)) - 1)
    }

    /// All slots further out than each of this set; all slots if the set is empty.
    @inline(__always)
    var before: SlotSet { SlotSet(rawValue: (rawValue & (0 &- rawValue)) &- 1) }

    /// All slots further in than each of this set; all slots if the set is empty.
    @inline(__always)
    var after: SlotSet { SlotSet(rawValue: innermost.map { ~SlotSet.before($0 + 1).rawValue } ?? .max) }

    /// The slot that is furthest out, or nil if the set is empty.
    @inline(__always)
    var outermost: Int? { rawValue == 0 ? nil : rawValue.trailingZeroBitCount }

    /// Takes out the slot that is furthest out; nil if the set is empty.
    @inline(__always)
    mutating func takeOutermost() -> Int? {
        guard let slot = outermost else { return nil }
        self = SlotSet(rawValue: rawValue & (rawValue &- 1))
        return slot
    }

    /// An element for each slot, outermost first.
    func map<Element>(_ transform: (Int) -> Element) -> [Element] {
        var (left, elements) = (self, [Element]())
        while let slot = left.takeOutermost() { elements.append(transform(slot)) }
        return elements
    }

    /// The slot that is furthest in, or nil if the set is empty.
    @inline(__always)
    var innermost: Int? { rawValue == 0 ? nil : SlotSet.limit - 1 - rawValue.leadingZeroBitCount }
}

/// The slots of the plugins that list a hook, for each steering hook and for `onClose`.
struct HookSlots {
    /// All slots.
    let all: SlotSet
    let request: SlotSet
    let response: SlotSet
    let failure: SlotSet
    let close: SlotSet

    /// - Parameter hooks: The hooks that each plugin lists, outermost plugin first.
    init(_ hooks: [Hooks]) {
        func slots(listing hook: Hooks) -> SlotSet {
            SlotSet(hooks.indices.filter { hooks[$0].contains(hook) }.map { SlotSet($0) })
        }
        all = .before(hooks.count)
        request = slots(listing: .request)
        response = slots(listing: .response)
        failure = slots(listing: .failure)
        close = slots(listing: .close)
    }
}
