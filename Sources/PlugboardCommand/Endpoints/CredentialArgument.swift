import PlugboardEndpoints
import PlugboardJSON
import PlugboardKit

/// A credential of the command line: `SCHEME=VALUE`, by the name of a security scheme of the OpenAPI document.
enum CredentialArgument {
    static func credentials(
        _ arguments: [String], of definitions: Definitions
    ) throws(CommandFailure) -> [String: DefinedCredential] {
        var kinds: [String: SecurityScheme.Kind] = [:]
        if !arguments.isEmpty {
            for scheme in definitions.all.lazy.flatMap(\.security).joined() { kinds[scheme.name] = scheme.kind }
        }
        var credentials: [String: DefinedCredential] = [:]
        for argument in arguments {
            guard let equals = argument.firstIndex(of: "=") else {
                throw CommandFailure(.usage, "--credential must be SCHEME=VALUE, such as apiKey=@key.txt.")
            }
            let name = String(argument[..<equals])
            guard let kind = kinds[name] else {
                let near = Spelling.nearest(name, in: kinds.keys.sorted()).map { " Did you mean \($0)?" } ?? ""
                throw CommandFailure(
                    .usage,
                    "--credential: there is no security scheme \(Printable.text(name)) that an operation needs.\(near)")
            }
            let input = InputArgument(String(argument[argument.index(after: equals)...]))
            credentials[name] = try credential(kind, text(of: input), name)
        }
        return credentials
    }

    /// The text without the line ends of a file.
    private static func text(of input: InputArgument) throws(CommandFailure) -> String {
        var bytes = try input.bytes(for: "--credential")
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func credential(
        _ kind: SecurityScheme.Kind, _ text: String, _ name: String
    ) throws(CommandFailure) -> DefinedCredential {
        switch kind {
        case .bearer: return .bearer(text)
        case .key: return .key(text)
        case .basic:
            guard let colon = text.firstIndex(of: ":") else {
                throw CommandFailure(.usage, "--credential \(Printable.text(name)) must be USER:PASSWORD.")
            }
            return .basic(user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
        }
    }
}
