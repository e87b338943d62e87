import PlugboardKit
import Synchronization

/// Numbers requests: an instance with settings, which also uses the kernel's services.
struct Stamp: PluginInstance {
    static let manifest = Manifest(id: "com.example.stamp", version: "1.0.0", priority: 300, hooks: [.request])

    struct Settings: PluginSettings {
        @Setting("The field that holds the number.", count: 1...40) var field = "x-stamp"
    }

    let numbers: Numbers
    let settings: Settings
    let host: PluginHost

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        exchange.request[FieldName(settings.field)] = "\(numbers.next())"
        host.counter("stamped").add()  // kernel.counters["com.example.stamp.stamped"]
        return .next
    }
}

/// What the program shares with its plugin.
final class Numbers: Sendable {
    private let last = Atomic(0)

    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
