import Plugboard
import PlugboardCurl
import PlugboardKit

/// Writes for `--verbose`, as curl does, which connections are opened, their TLS and certificates, and the heads that
/// are sent, with all fields that libcurl adds; or for `--trace` all that is sent and received.
struct WireOutput {
    private let showsSecrets: Bool
    private let trace: WireTrace?

    /// Adds what is needed to the configuration and to the catalog of a kernel that is to be made.
    ///
    /// - Parameters:
    ///   - trace: Where `--trace` writes, which replaces the lines of `--verbose`.
    ///   - facts: Collects the same data for `--write-out`; nil without it.
    static func add(
        to configuration: inout Configuration, _ catalog: inout Catalog, isVerbose: Bool, showingSecrets: Bool,
        trace: WireTrace?, facts: WireFacts? = nil
    ) {
        let isShown = isVerbose || trace != nil
        if isShown { SentRequest.add(to: &configuration, &catalog) }
        guard isShown || facts != nil else { return }
        let output = WireOutput(showsSecrets: showingSecrets, trace: trace)
        configuration.kernel.wireLog = WireLog(wantsCertificates: facts?.wantsCertificates ?? false) { entry, bytes in
            if isShown { output.hear(entry, bytes) }
            facts?.hear(entry, bytes)
        }
    }

    private func hear(_ entry: WireLog.Entry, _ bytes: UnsafeRawBufferPointer) {
        let text = { String(decoding: bytes, as: UTF8.self) }
        switch entry {
        case .note:
            guard let line = WireOutput.line(of: text().trimmingLineEnd) else { return }
            if let trace {
                trace.write("== Info: \(Printable.text(line))\n")
            } else {
                StandardError.write("* \(Printable.text(line))\n")
            }
        case .requestHead:
            let (line, fields) = head(text())
            guard let trace else { return ExchangeObserver.write(">", line, fields, showsSecrets) }
            trace.write("=> Send header", "\(line)\r\n\(lines(fields))\r\n")
        case .responseHead:
            guard let trace else { return }
            let line = text()
            let isField = line.contains(":") && !line.hasPrefix("HTTP/")
            trace.write("<= Recv header", isField ? lines(head("\r\n\(line)").fields) : line)
        case .requestBody: trace?.write("=> Send data", bytes)
        case .responseBody: trace?.write("<= Recv data", bytes)
        case .certificates: break
        }
    }

    // MARK: Notes

    /// The beginnings of the lines of libcurl's log that are shown. Other lines are of no use, or hold field values.
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

    /// The first line and the fields of a head, of which the secret ones are marked.
    private func head(_ text: String) -> (line: String, fields: Fields) {
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let first = lines.popFirst() ?? ""
        var fields = Fields()
        for line in lines where !line.isEmpty {
            let name = line.prefix { $0 != ":" }
            fields.append(FieldName(String(name)), String(line[name.endIndex...].dropFirst().drop { $0 == " " }))
        }
        for name in SentRequest.secretNames { fields.markSecret(name) }
        return (title(String(first)), fields)
    }

    private func lines(_ fields: Fields) -> String {
        fields.map { "\($0.name): \(showsSecrets ? $0.value : Printable.value(of: $0))\r\n" }.joined()
    }

    /// The request line, in which the target's query may be secret.
    private func title(_ line: String) -> String {
        let parts = line.split(separator: " ").map(String.init)
        guard parts.count == 3 else { return line }
        return "\(parts[0]) \(Printable.url(parts[1], showingQuery: showsSecrets)) \(parts[2])"
    }
}

extension String {
    fileprivate var trimmingLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}
