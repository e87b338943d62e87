import PlugboardKit

/// `onRequest`: gives each request without a number one of its own, to find it in logs.
struct RequestID: Plugin {
    static let manifest = Manifest(
        id: "com.example.request-id", version: "1.0.0", documentation: "Numbers requests.", priority: 310,
        hooks: [.request])

    struct Settings: PluginSettings {
        @Setting("The field that carries the number.") var field = "X-Request-ID"
        @Setting("How many random bytes make a number.", in: 4...32) var bytes = 16
    }
    let settings: Settings
    let host: PluginHost

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        let field = FieldName(settings.field)
        if !exchange.request.contains(field) { exchange.request[field] = hexadecimal(host.random(settings.bytes)) }
        return .next
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
