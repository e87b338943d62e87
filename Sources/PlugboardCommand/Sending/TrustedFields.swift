import Plugboard
import PlugboardKit

/// The command's plugin for `--location-trusted`: gives the secret fields of the program's request also to other
/// origins, which the kernel takes from requests that are sent there.
struct TrustedFields: Plugin {
    // Inside of redirect, so that it sees each request that follows one, and outside of cookies.
    static let manifest = Manifest(
        id: "plugboard-trusted", version: Program.version, documentation: "Sends credentials to all hosts.",
        priority: 401, hooks: [.request])

    /// The secret fields of the first request. Used by the exchange's hooks only.
    private final class First {
        let fields: [Fields.Element]
        init(_ fields: [Fields.Element]) { self.fields = fields }
    }

    init(settings: NoSettings, host: PluginHost) {}

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        guard exchange.sender == nil else { return .next }
        guard let first = exchange.state as? First else {
            exchange.state = First(exchange.request.fields.filter(\.isSecret))
            return .next
        }
        for field in first.fields where exchange.request[FieldName(field.name)] == nil {
            exchange.request[FieldName(field.name)] = field.value
        }
        return .next
    }
}
