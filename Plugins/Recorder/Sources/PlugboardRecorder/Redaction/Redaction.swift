import PlugboardKit
import PlugboardRecorderOptions

/// Replaces secrets in what is stored or shown: fields that are secret, users of URLs, and values of parameters and of
/// JSON members by their names.
struct Redaction: Sendable {
    /// What stands in the place of a secret.
    static let mark = "…"

    private let parameters: [NamePattern]
    private let members: SecretMembers

    /// Names that usually hold credentials, in queries, forms and JSON.
    private static let usualNames = [
        "*token*", "*secret*", "*password*", "passwd", "pwd", "*passphrase*", "*signature*", "sig", "*credential*",
        "*api*key*", "*apikey*", "*access*key*", "*private*key*", "key", "auth", "authorization", "jwt", "*assertion*",
        "code", "code_verifier", "*session*id*", "sid",
    ]

    /// Throws `configuration` for a name or pointer that cannot be one.
    init(_ settings: RecorderSettings) throws(PlugboardError) {
        let usual = Redaction.usualNames.map(NamePattern.init)
        parameters = usual + settings.secretParameters.map(NamePattern.init)
        members = SecretMembers(
            names: usual + settings.secretMembers.filter { !$0.hasPrefix("/") }.map(NamePattern.init),
            pointers: Set(settings.secretMembers.filter { $0.hasPrefix("/") }))
        for name in settings.secretParameters + settings.secretMembers where name.isEmpty || name == "*" {
            throw PlugboardError(
                .configuration,
                "secretParameters and secretMembers take names and JSON pointers, and not \"\(name)\". To record no "
                    + "bodies, set bodies to heads.")
        }
    }

    /// The URL without user and fragment, and without the values of secret parameters.
    func url(_ url: String) -> String {
        let printable = Printable.url(url, showingQuery: true)
        guard let start = printable.utf8.firstIndex(of: UInt8(ascii: "?")) else { return printable }
        let query = printable.utf8[start...].dropFirst()
        return
            "\(Substring(printable.utf8[..<start]))?\(form(Array(query)).map { String(decoding: $0, as: UTF8.self) } ?? String(Substring(query)))"
    }

    /// The fields in their order, as they may be shown.
    func fields(_ fields: Fields) -> [(name: String, value: String)] {
        fields.map { field in
            let holdsURL = [.location, .contentLocation, "Referer"].contains(FieldName(field.name))
            let value = field.isSecret ? Redaction.mark : holdsURL ? url(field.value) : field.value
            return (field.name, value)
        }
    }

    /// The bytes of a body of this media type without its secrets.
    func body(_ bytes: [UInt8], type: String) -> [UInt8] {
        if type == "application/x-www-form-urlencoded" { return form(bytes) ?? bytes }
        if type.hasSuffix("/json") || type.hasSuffix("+json") || type.hasSuffix("json-seq") {
            return members.redacted(bytes) ?? bytes
        }
        return bytes
    }

    /// A query or a form without the values of secret parameters; nil if it has none.
    private func form(_ bytes: [UInt8]) -> [UInt8]? {
        var redacted: [UInt8] = []
        var hasSecrets = false
        for (index, parameter) in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .enumerated()
        {
            if index > 0 { redacted.append(UInt8(ascii: "&")) }
            guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")), isSecret(parameter[..<equals]) else {
                redacted += parameter
                continue
            }
            hasSecrets = true
            redacted += parameter[...equals]
            redacted += Redaction.mark.utf8
        }
        return hasSecrets ? redacted : nil
    }

    /// An escaped name could be any.
    private func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        if name.contains(UInt8(ascii: "%")) { return true }
        let name = name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return parameters.contains { $0.matches(name) }
    }
}
