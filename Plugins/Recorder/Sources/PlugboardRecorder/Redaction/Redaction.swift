import PlugboardKit
import PlugboardRecorderOptions

/// Replaces secrets in what is stored or shown: secret fields, user names in URLs, and the values of parameters and
/// JSON members with secret names.
struct Redaction: Sendable {
    /// The text that replaces a secret.
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
            pointers: settings.secretMembers.filter { $0.hasPrefix("/") })
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

    /// The bytes of a body of this media type without its secrets; nil if those cannot be found in it.
    ///
    /// - Parameter coding: The value of Content-Encoding.
    func body(_ bytes: [UInt8], type: String, coding: String?) -> [UInt8]? {
        if let coding, !coding.isEmpty, coding.lowercased() != "identity" { return nil }
        if type.hasPrefix("multipart/") { return nil }
        if type == "application/x-www-form-urlencoded" { return form(bytes, isForm: true) ?? bytes }
        // JSON has many media types, and also occurs in lines and in event streams.
        return bytes.contains(UInt8(ascii: "{")) ? members.redacted(bytes) ?? bytes : bytes
    }

    /// A query or a form without the values of secret parameters; nil if it has none. Parameters without a value are
    /// replaced in queries, because they may be keys.
    private func form(_ bytes: [UInt8], isForm: Bool = false) -> [UInt8]? {
        var redacted: [UInt8] = []
        var hasSecrets = false
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") } ?? rest.endIndex
            let parameter = rest[..<end]
            if let equals = parameter.firstIndex(of: UInt8(ascii: "=")) {
                if isSecret(parameter[..<equals]) {
                    hasSecrets = true
                    redacted += parameter[...equals]
                    redacted += Redaction.mark.utf8
                } else {
                    redacted += parameter
                }
            } else if isForm || parameter.isEmpty {
                redacted += parameter
            } else {
                hasSecrets = true
                redacted += Redaction.mark.utf8
            }
            if end < rest.endIndex { redacted.append(rest[end]) }
            rest = rest[min(end + 1, rest.endIndex)...]
        }
        return hasSecrets ? redacted : nil
    }

    /// Whether a parameter is secret. A percent-encoded name counts as secret, because it may be that of a secret.
    private func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        if name.contains(UInt8(ascii: "%")) { return true }
        let name = name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return parameters.contains { $0.matches(name) }
    }
}
