import PlugboardKit

/// The events of plugins that plugins publish in response to events of plugins, on one loop.
///
/// A chain has a greatest depth, and a greatest number of events that wait: plugins that answer each event with another
/// one would publish without end, and with two others would fill the memory.
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

    /// Whether nothing of the plugin in this slot was refused before.
    mutating func isFirstRefusal(of slot: Int) -> Bool {
        defer { refused.formUnion(SlotSet(slot)) }
        return !refused.contains(SlotSet(slot))
    }

    /// The delivery begins of an event.
    ///
    /// - Parameter cause: The depth of the event in response to which it was published, and waited; nil for none.
    mutating func begin(after cause: Int?) {
        if cause != nil { waitingCount -= 1 }
        current = cause.map { $0 + 1 } ?? 0
    }

    /// The delivery ends. Events of plugins are not delivered within one another.
    mutating func end() { current = nil }
}
