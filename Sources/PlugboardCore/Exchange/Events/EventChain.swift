import PlugboardBorder

/// Events that plugins publish in response to events of plugins, on one loop.
///
/// A chain has a maximum depth, because plugins that respond to each event with another one would never end, and a
/// maximum number of waiting events, because two events in response to each would fill the memory.
struct EventChain {
    static let depthLimit = 16
    static let countLimit = 1024

    /// How many events led to the one that is delivered now; nil while none is.
    private(set) var current: Int?
    private var waitingCount = 0
    private var refused = SlotSet()

    /// Whether one more may wait for its delivery.
    mutating func admit() -> Bool {
        guard let current, current < EventChain.depthLimit, waitingCount < EventChain.countLimit else { return false }
        waitingCount += 1
        return true
    }

    /// Whether no event of the plugin in this slot was refused before.
    mutating func isFirstRefusal(of slot: Int) -> Bool {
        defer { refused.formUnion(SlotSet(slot)) }
        return !refused.contains(SlotSet(slot))
    }

    /// Notes that the delivery of an event begins.
    ///
    /// - Parameter cause: The depth of the event in response to which it was published, and waited; nil for none.
    mutating func begin(after cause: Int?) {
        if cause != nil { waitingCount -= 1 }
        current = cause.map { $0 + 1 } ?? 0
    }

    /// Notes that the delivery ends. Events of plugins are not delivered within one another.
    mutating func end() { current = nil }
}
