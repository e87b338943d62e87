import CPlugboard
import PlugboardKit

/// What C sees as an event. Its details are made when a plugin asks for them: most plugins ignore most events.
final class EventNode {
    private enum Name {
        case kernel(KernelEvent)
        case own(String)
    }

    private let name: Name
    private let makeDetails: () -> [(String, ObservedEvent.Detail)]
    private lazy var details = makeDetails()
    private let head: ResponseHead?
    /// The URL that has sent the head.
    private let url: String?
    private lazy var headNode = head.map { HeadNode($0) }
    private lazy var scratch = Scratch()

    /// One of the kernel's.
    init(
        _ event: KernelEvent, _ head: ResponseHead? = nil, from url: String? = nil,
        _ details: @escaping () -> [(String, ObservedEvent.Detail)]
    ) {
        name = .kernel(event)
        makeDetails = details
        self.head = head
        self.url = url
    }

    /// One that a plugin published.
    init(_ id: String, _ details: [(String, ObservedEvent.Detail)]) {
        name = .own(id)
        makeDetails = { details }
        head = nil
        url = nil
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
    var headPointer: OpaquePointer? { headNode?.pointer }

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
