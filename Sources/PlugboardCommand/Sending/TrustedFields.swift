import Plugboard
import PlugboardKit

/// The command's plugin for `--location-trusted`: gives the fields of the command line also to other origins, where
/// redirects lead. The kernel takes secret fields from requests that are sent there.
struct TrustedFields: PluginInstance {
    // Inside of redirect, so that it sees each request that follows one, and outside of cookies.
    static let manifest = Manifest(
        id: "plugboard-trusted", version: Program.version, documentation: "Sends credentials to all hosts.",
        priority: 401, hooks: [.request])

    /// The fields that the command line gives. Fields of sessions, of the configuration and of plugins are sent to
    /// their origin only.
    let names: [FieldName]

    /// The fields of the first request. Used by the exchange's hooks only.
    private final class First {
        let fields: [Fields.Element]
        init(_ fields: [Fields.Element]) { self.fields = fields }
    }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        guard exchange.sender == nil else { return .next }
        guard let first = exchange.state as? First else {
            exchange.state = First(
                exchange.request.fields.filter { $0.isSecret && names.contains(FieldName($0.name)) })
            return .next
        }
        for field in first.fields where exchange.request[FieldName(field.name)] == nil {
            exchange.request[FieldName(field.name)] = field.value
        }
        return .next
    }
}

extension RequestArguments {
    /// The names of the fields by which the command line gives credentials and cookies.
    var trustedNames: [FieldName] {
        get throws(CommandFailure) {
            var names: [FieldName] = [.authorization, .cookie]
            for text in fields { names.append(try FieldArgument(text).name) }
            return names
        }
    }
}
