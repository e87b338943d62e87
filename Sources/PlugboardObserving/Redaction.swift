import PlugboardKit

/// Replaces secrets in what is stored or shown: secret fields, user names in URLs, and the values of parameters and
/// JSON members with secret names.
public struct Redaction: Sendable {
    /// The text that replaces a secret.
    public static let mark = "…"

    private let parameters: [Wildcard]
    private let members: SecretMembers

    /// Names that usually hold credentials, in queries, forms and JSON.
    private static let usualNames = [
        "*token*", "*secret*", "*password*", "passwd", "pwd", "*passphrase*", "*signature*", "sig", "*credential*",
        "*api*key*", "*apikey*", "*access*key*", "*private*key*", "key", "auth", "*authorization", "*cookie", "jwt",
        "*assertion*", "code", "code_verifier", "*session*id*", "sid",
    ]

    /// - Parameters:
    ///   - parameters: Patterns of names of parameters in queries and forms, beside those that usually hold secrets.
    ///   - members: Patterns of names of JSON members, beside the same, and JSON pointers.
    /// - Throws: `configuration` for a name or pointer that cannot be one.
    public init(parameters: [String] = [], members: [String] = []) throws(PlugboardError) {
        let usual = Redaction.usualNames.map { Wildcard($0.lowercased()) }
        self.parameters = usual + parameters.map { Wildcard($0.lowercased()) }
        self.members = SecretMembers(
            names: usual + members.filter { !$0.hasPrefix("/") }.map { Wildcard($0.lowercased()) },
            pointers: members.filter { $0.hasPrefix("/") })
        for name in parameters + members where name.isEmpty || name == "*" {
            throw PlugboardError(
                .configuration,
                "secretParameters and secretMembers take names and JSON pointers, and not \"\(name)\". To keep no "
                    + "bodies, set bodies to heads.")
        }
    }

    /// The URL without user and fragment, and without the values of secret parameters.
    public func url(_ url: String) -> String {
        let printable = Printable.url(url, showingQuery: true)
        guard let start = printable.utf8.firstIndex(of: UInt8(ascii: "?")) else { return printable }
        let query = printable.utf8[start...].dropFirst()
        return
            "\(Substring(printable.utf8[..<start]))?\(form(Array(query)).map { String(decoding: $0, as: UTF8.self) } ?? String(Substring(query)))"
    }

    /// The fields in their order, as they may be shown.
    public func fields(_ fields: Fields) -> [(name: String, value: String)] {
        fields.map { field in
            if field.isSecret { return (field.name, Redaction.mark) }
            let name = FieldName(field.name)
            if Redaction.fieldsOfURL.contains(name) { return (field.name, url(field.value)) }
            return (field.name, Redaction.fieldsWithURLs.contains(name) ? withURLs(field.value) : field.value)
        }
    }

    private static let fieldsOfURL: Set<FieldName> = [.location, .contentLocation, "Referer"]
    private static let fieldsWithURLs: Set<FieldName> = ["Link", "Refresh"]

    /// The value of Link (RFC 8288) or Refresh without the values of secret parameters in its URLs.
    private func withURLs(_ value: String) -> String {
        // In both, a URL ends at one of these.
        let parts = value.split(omittingEmptySubsequences: false) { "<>\"' ".contains($0) }
        var place = value.startIndex
        var redacted = ""
        for part in parts {
            let holdsSecrets = part.contains("?") || part.contains("@")
            redacted += holdsSecrets ? url(String(part)) : String(part)
            place = part.endIndex
            if place < value.endIndex { redacted.append(value[place]) }
        }
        return redacted
    }

    /// Whether secrets can be found in a body: not in one that is encoded or has parts.
    static func finds(type: String, coding: String?) -> Bool {
        if let coding, !coding.isEmpty, coding.lowercased() != "identity" { return false }
        return !type.hasPrefix("multipart/")
    }

    /// The bytes of a body of this media type without its secrets; nil if those cannot be found in it.
    ///
    /// - Parameter coding: The value of Content-Encoding.
    public func body(_ bytes: [UInt8], type: String, coding: String?) -> [UInt8]? {
        guard Redaction.finds(type: type, coding: coding) else { return nil }
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
