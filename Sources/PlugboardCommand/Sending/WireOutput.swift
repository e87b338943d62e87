import Plugboard
import PlugboardCurl
import PlugboardKit
import Synchronization

/// Writes for `--verbose`, as curl does, which connections are opened, their TLS and certificates, and the heads that
/// are sent, with all fields that libcurl adds.
enum WireOutput {
    /// Begins before the kernel starts, to which the configuration and the catalog go.
    static func begin(
        for configuration: inout Configuration, _ catalog: inout Catalog, showingSecrets: Bool
    ) {
        catalog = catalog.adding([SecretFields.descriptor])
        configuration.plugins.append(PluginEntry(SecretFields.manifest.id))
        WireLog.listen { entry, text in
            switch entry {
            case .note: if let line = line(of: text) { StandardError.write("* \(Printable.text(line))\n") }
            case .requestHead: write(head: text, showingSecrets: showingSecrets)
            }
        }
    }

    // MARK: Notes

    /// How lines of libcurl's log begin that are shown. Others are of no use, or hold values of fields.
    private static let beginnings = [
        "Trying ", "Connected to ", "Re-using existing connection", "Could not resolve host", "connect to ",
        "Failed to connect", "Immediate connect fail", "SSL connection using ", "ALPN: server accepted",
        "Server certificate:", "subject: ", "start date: ", "expire date: ", "subjectAltName: ", "issuer: ",
        "SSL certificate verify", "SSL: ", "Establish HTTP proxy tunnel", "CONNECT tunnel established", "Proxy replied",
        "SOCKS", "HTTP/1.1 upgrade", "Received 101",
    ]

    /// The line to show; nil for one that is not shown.
    static func line(of note: String) -> String? {
        let text = note.drop { $0 == " " }
        guard beginnings.contains(where: { text.hasPrefix($0) }) else { return nil }
        // libcurl's number of the connection.
        let end = text.firstRange(of: " (#")?.lowerBound ?? text.endIndex
        let isPart = note.hasPrefix(" ") && !text.hasPrefix("Trying ") && !text.hasPrefix("SSL certificate verify")
        return (isPart ? "  " : "") + text[..<end]
    }

    // MARK: Heads

    private static let secretNames = Mutex<Set<FieldName>>([])

    /// Fields of these names are not shown, beside those that always are secret.
    static func addSecrets(_ fields: Fields) {
        let names = fields.filter(\.isSecret).map { FieldName($0.name) }
        if !names.isEmpty { secretNames.withLock { $0.formUnion(names) } }
    }

    private static func write(head: String, showingSecrets: Bool) {
        var lines = head.split(separator: "\r\n")[...]
        guard let first = lines.popFirst() else { return }
        var fields = Fields()
        for line in lines {
            let name = line.prefix { $0 != ":" }
            fields.append(FieldName(String(name)), String(line[name.endIndex...].dropFirst().drop { $0 == " " }))
        }
        for name in secretNames.withLock({ $0 }) { fields.markSecret(name) }
        ExchangeObserver.write(">", title(String(first), showingSecrets), fields, showingSecrets)
    }

    /// The request line, in which the target's query may be secret.
    private static func title(_ line: String, _ showingSecrets: Bool) -> String {
        let parts = line.split(separator: " ").map(String.init)
        guard parts.count == 3 else { return line }
        return "\(parts[0]) \(Printable.url(parts[1], showingQuery: showingSecrets)) \(parts[2])"
    }
}
