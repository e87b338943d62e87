import CPlugboard
import PlugboardBorder

/// What C sees as an event. Its details are made when a plugin asks for them, because most plugins ignore most events.
///
/// The kernel's own events use one node after the other (`begin`), because an exchange with plugins that listen to all
/// has a dozen.
final class EventNode: OpaqueNode {
    typealias Details = [(String, ObservedEvent.Detail)]

    // Unchecked, because making details and releasing what is here calls nothing that uses the node.
    @exclusivity(unchecked) private var event: KernelEvent?
    /// The id of an event of a plugin.
    private let ownID: String
    /// The exchange that the event is about, until `end`. Unowned: the exchange outlives its events.
    @exclusivity(unchecked) private var exchange: Unmanaged<ExchangeCore>?
    /// The facts of the event, until `end`. They stay in the sender's memory, because most are never read.
    @exclusivity(unchecked) private var facts: UnsafePointer<EventFacts>?
    /// Whether something is kept that `end` has to release.
    @exclusivity(unchecked) private var isInUse = false
    @exclusivity(unchecked) private var madeDetails: Details?
    /// Kept for the next event with a head.
    @exclusivity(unchecked) private var headNode: HeadNode?
    @exclusivity(unchecked) private var hasShownHead = false
    @exclusivity(unchecked) private var madeScratch: Scratch?

    /// An event of the kernel about itself or a plugin. An event about an exchange has no details before `begin`.
    init(_ event: KernelEvent, _ details: Details? = nil) {
        (self.event, ownID) = (event, "")
        madeDetails = details
    }

    /// An event that a plugin published.
    init(_ id: String, _ details: Details) {
        (event, ownID) = (nil, id)
        madeDetails = details
    }

    /// Makes it another event of the kernel, about an exchange. The facts must stay valid until `end`.
    @inline(__always)
    func begin(_ event: KernelEvent, of exchange: ExchangeCore, _ facts: UnsafePointer<EventFacts>) {
        self.event = event
        self.exchange = .passUnretained(exchange)
        self.facts = facts
    }

    /// Ends the event: what plugins got of it is no longer valid.
    @inline(__always)
    func end() {
        exchange = nil
        facts = nil
        if isInUse { clear() }
    }

    private func clear() {
        isInUse = false
        madeDetails = nil
        if hasShownHead {
            headNode?.shown = nil
            hasShownHead = false
            if Scratch.isChecked { headNode = nil }
        }
        madeScratch?.clear()
    }

    /// Calls a function with the facts, and with their exchange without reference counting.
    @inline(__always)
    private func withFacts<Result>(_ read: (UnsafePointer<EventFacts>, ExchangeCore) -> Result?) -> Result? {
        guard let exchange, let facts else { return nil }
        return exchange._withUnsafeGuaranteedRef { read(facts, $0) }
    }

    private var details: Details {
        if let madeDetails { return madeDetails }
        isInUse = true
        let details = withFacts { EventFacts.details(in: $0, of: $1) } ?? []
        madeDetails = details
        return details
    }

    private var scratch: Scratch {
        isInUse = true
        if let madeScratch { return madeScratch }
        let scratch = Scratch()
        madeScratch = scratch
        return scratch
    }

    /// Its bit.
    var kind: WantedEvents { event.map { WantedEvents($0) } ?? .ofPlugins }

    var id: String { event?.name ?? ownID }

    var observed: ObservedEvent {
        let head = facts?.pointee.head?.pointee
        return ObservedEvent(
            id: id, details: Dictionary(details, uniquingKeysWith: { $1 }), head: head,
            url: head == nil ? nil : withFacts { $1.request.head.url })
    }

    var idText: plug_text { event?.cName ?? scratch.text(ownID) }

    var headPointer: OpaquePointer? {
        if hasShownHead { return headNode?.pointer }
        guard let head = facts?.pointee.head else { return nil }
        isInUse = true
        hasShownHead = true
        let node = headNode ?? HeadNode()
        headNode = node
        node.shown = head
        return node.pointer
    }

    func text(_ name: UnsafeRawBufferPointer) -> plug_text {
        if madeDetails != nil { return madeDetail(name).map { text($0) } ?? plug_text() }
        guard let text = withFacts({ EventFacts.text(name, in: $0, of: $1) }) else { return plug_text() }
        return scratch.text(text)
    }

    func detail(at index: Int) -> plug_field? {
        guard details.indices.contains(index) else { return nil }
        let (name, value) = details[index]
        return plug_field(name: scratch.text(name), value: text(value))
    }

    private func text(_ detail: ObservedEvent.Detail) -> plug_text {
        switch detail {
        case .text(let text): scratch.text(text)
        case .integer(let number): scratch.text("\(number)")
        }
    }

    func integer(_ name: UnsafeRawBufferPointer) -> Int64? {
        if madeDetails == nil { return withFacts { EventFacts.integer(name, in: $0, of: $1) } }
        return switch madeDetail(name) {
        case .integer(let number): number
        case .text(let text): Int64(text)
        case nil: nil
        }
    }

    private func madeDetail(_ name: UnsafeRawBufferPointer) -> ObservedEvent.Detail? {
        madeDetails?.first { plug_text(name).isEqual($0.0) }?.1
    }
}
