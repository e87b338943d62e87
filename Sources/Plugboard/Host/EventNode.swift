import CPlugboard
import PlugboardKit

/// What C sees as an event.
final class EventNode {
    let id: String
    private let details: [(String, EventDetail)]
    private let head: ResponseHead?
    private lazy var headNode = head.map { HeadNode($0) }
    private lazy var scratch = Scratch()

    init(_ id: String, _ details: [(String, EventDetail)], _ head: ResponseHead? = nil) {
        self.id = id
        self.details = details
        self.head = head
    }

    var pointer: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    static func from(_ pointer: OpaquePointer) -> EventNode {
        Unmanaged<EventNode>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    var exchangeEvent: ExchangeEvent {
        ExchangeEvent(id: id, details: Dictionary(details, uniquingKeysWith: { $1 }), head: head)
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

    private func detail(_ name: String) -> EventDetail? { details.first { $0.0 == name }?.1 }
}
