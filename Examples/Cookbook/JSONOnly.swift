import PlugboardKit

/// Holding: stops requests whose body is declared as JSON but is not JSON, before they reach the network.
struct JSONOnly: Plugin {
    static let manifest = Manifest(
        id: "com.example.json-only", version: "1.0.0", documentation: "Stops malformed JSON.", priority: 320,
        hooks: [.request])

    struct Settings: PluginSettings {
        @Setting("The largest body that is checked.") var limit = ByteCount.mebibytes(1)
    }
    let settings: Settings

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        switch exchange.visit {
        case .first where exchange.request[.contentType] == "application/json": .hold(upTo: settings.limit)
        case .held: exchange.withHeldBody { isJSON($0) } ? .next : .fail(malformed)
        // Includes `overLimit`: the body is complete again and is sent unchecked.
        default: .next
        }
    }

    private func isJSON(_ bytes: UnsafeRawBufferPointer) -> Bool { (try? JSONParser.parse(bytes)) != nil }

    private var malformed: PlugboardError {
        PlugboardError("com.example.json-only.malformed", "The request's body is declared as JSON but is not JSON.")
    }
}
