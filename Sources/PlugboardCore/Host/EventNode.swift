import CPlugboard
import PlugboardKit

/// What C sees as an event. Its details are made when a plugin asks for them: most plugins ignore most events.
///
/// The kernel's own events use one node after the other (`begin`), because an exchange with plugins that listen to all
/// has a dozen.
final class EventNode {
    private enum Name {
        case kernel(KernelEvent)
        case own(String)
    }

    typealias Details = [(String, ObservedEvent.Detail)]

    // Unchecked, because making details and releasing what is here calls nothing that uses the node.
    @exclusivity(unchecked) private var name: Name
    /// What the event is about, until `end`. Unowned: the exchange outlives its events.
    @exclusivity(unchecked) private unowned(unsafe) var exchange: ExchangeCore?
    @exclusivity(unchecked) private var facts = EventFacts.nothing
    @exclusivity(unchecked) private var madeDetails: Details?
    @exclusivity(unchecked) private var head: ResponseHead?
    /// The URL that has sent the head.
    @exclusivity(unchecked) private var url: String?
    @exclusivity(unchecked) private var madeHeadNode: HeadNode?
    @exclusivity(unchecked) private var madeScratch: Scratch?

    /// One of the kernel's about itself or a plugin. One about an exchange has no details before `begin`.
    init(_ event: KernelEvent, _ details: Details? = nil) {
        name = .kernel(event)
        madeDetails = details
    }

    /// One that a plugin published.
    init(_ id: String, _ details: Details) {
        name = .own(id)
        madeDetails = details
    }

    /// Makes it another event of the kernel's, about an exchange.
    func begin(_ event: KernelEvent, of exchange: ExchangeCore, _ facts: EventFacts, about head: ResponseHead?) {
        name = .kernel(event)
        self.exchange = exchange
        self.facts = facts
        guard let head else { return }
        self.head = head
        url = exchange.request.head.url
    }

    /// The event is over, and what plugins got of it is not valid any more.
    func end() {
        exchange = nil
        if madeDetails != nil { madeDetails = nil }
        if head != nil { head = nil }
        if url != nil { url = nil }
        if madeHeadNode != nil { madeHeadNode = nil }
        madeScratch?.clear()
    }

    private var details: Details {
        if let madeDetails { return madeDetails }
        let details = exchange.map { facts.details(of: $0) } ?? []
        madeDetails = details
        return details
    }

    private var scratch: Scratch {
        if let madeScratch { return madeScratch }
        let scratch = Scratch()
        madeScratch = scratch
        return scratch
    }

    var id: String {
        switch name {
        case .kernel(let event): event.name
        case .own(let id): id
        }
    }

    var pointer: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func from(_ pointer: OpaquePointer) -> EventNode {
        Unmanaged<EventNode>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    var observed: ObservedEvent {
        ObservedEvent(id: id, details: Dictionary(details, uniquingKeysWith: { $1 }), head: head, url: url)
    }

    var idText: plug_text { scratch.text(id) }

    var headPointer: OpaquePointer? {
        if madeHeadNode == nil { madeHeadNode = head.map { HeadNode($0) } }
        return madeHeadNode?.pointer
    }

    func text(_ name: String) -> plug_text {
        switch detail(name) {
        case .text(let text): scratch.text(text)
        case .integer(let number): scratch.text("\(number)")
        case nil: plug_text()
        }
    }

    func integer(_ name: String) -> Int64? {
        switch detail(name) {
        case .integer(let number): number
        case .text(let text): Int64(text)
        case nil: nil
        }
    }

    private func detail(_ name: String) -> ObservedEvent.Detail? { details.first { $0.0 == name }?.1 }
}
