import CPlugboardCurl
import Plugboard
import PlugboardJSON
import PlugboardKit

/// The text of `--write-out` with the facts of an exchange, as curl writes it.
struct WriteOut: Sendable {
    /// What is known when the exchange has ended.
    struct Facts: Sendable {
        var request: Request
        var response: ResponseHead?
        var url: String
        var failure: CommandFailure?
        var file: String?
        var received = 0
        var sent = 0
        /// How many connections were opened.
        var connections = 0
        /// The bytes of all heads that were received, as HTTP/1.1 writes them.
        var headSize = 0
        /// Counted from 0.
        var urlNumber = 0
        var redirects = 0
        var repetitions = 0
        /// The times of the last attempt, from its beginning, by the names of the event `attemptEnded`.
        var steps: [String: Duration] = [:]
        /// The server's address in the last attempt; empty and 0 without a connection.
        var remote = (address: "", port: 0)
        var local = (address: "", port: 0)
        /// The duration of the exchange.
        var total: Duration = .zero
        /// The bytes of all heads of requests that were sent.
        var requestSize = 0
        /// The status of the proxy's last response to CONNECT; 0 without one.
        var connectStatus = 0
        /// The chain of certificates of the server of the last connection that was opened: lines like `Subject:…`, the
        /// last in PEM form.
        var certificates: [String] = []
        /// The TLS library's result for the server's certificate; 0 if it is trusted, and without TLS.
        var verifyResult = 0
    }

    private let format: String

    /// - Parameter argument: The text, or `@FILE`, or `@-` for standard input, both without their line ends.
    init(_ argument: String) throws(CommandFailure) {
        guard argument.hasPrefix("@") else {
            format = argument
            return
        }
        let bytes = try InputArgument(argument).bytes(for: "--write-out")
        format = String(decoding: bytes.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    /// Whether the text has this variable, or all.
    func names(_ name: String) -> Bool {
        let format = format.lowercased()
        return format.contains("%{\(name)}") || format.contains("%{json}")
    }

    var namesCertificates: Bool { names("certs") || names("num_certs") }

    /// Writes the text to standard output, and after `%{stderr}` to standard error.
    func write(_ facts: Facts) throws(CommandFailure) {
        var text = ""
        var isError = false
        func flush() throws(CommandFailure) {
            if isError { StandardError.write(text) } else { try ByteOutput.standard.write(text) }
            text = ""
        }
        var rest = format[...]
        while let character = rest.popFirst() {
            switch (character, rest.first) {
            case ("\\", "n"?): text.append(WriteOut.taking("\n", &rest))
            case ("\\", "r"?): text.append(WriteOut.taking("\r", &rest))
            case ("\\", "t"?): text.append(WriteOut.taking("\t", &rest))
            case ("%", "%"?): text.append(WriteOut.taking("%", &rest))
            case ("%", "{"?):
                guard let name = WriteOut.name(&rest) else {
                    text.append("%")
                    continue
                }
                switch name {
                case "stderr", "stdout":
                    try flush()
                    isError = name == "stderr"
                case "onerror":
                    if facts.failure == nil {
                        try flush()
                        return
                    }
                default: text += value(name, facts)
                }
            case ("%", "h"?) where rest.hasPrefix("header{"):
                rest = rest.dropFirst("header".count)
                if let name = WriteOut.name(&rest) {
                    text += facts.response?.fields.values(FieldName(name)).first.map(Printable.text) ?? ""
                }
            default: text.append(character)
            }
        }
        try flush()
    }

    private static func taking(_ character: Character, _ rest: inout Substring) -> Character {
        rest.removeFirst()
        return character
    }

    /// Takes the name in braces at the beginning, in lower case; nil if the brace is not closed.
    private static func name(_ rest: inout Substring) -> String? {
        guard let end = rest.firstIndex(of: "}") else { return nil }
        let name = rest[..<end].dropFirst().lowercased()
        rest = rest[rest.index(after: end)...]
        return name
    }

    // MARK: Variables

    private func value(_ name: String, _ facts: Facts) -> String {
        if name == "json" { return WriteOut.json(facts) }
        if name == "header_json" {
            return WriteOut.headers(facts)
        }
        guard let value = WriteOut.variables[name] else {
            StandardError.warn("--write-out: the variable \(Printable.text(name)) is unknown")
            return ""
        }
        switch value(facts) {
        // Its lines are printable already.
        case .string(let text) where name == "certs": return text
        case .string(let text): return Printable.text(text)
        case .number(let number): return "\(number)"
        default: return ""
        }
    }

    /// All variables except `json` and `header_json`.
    private static let variables: [String: @Sendable (Facts) -> JSONValue] = [
        "http_code": { status($0.response?.status ?? 0) }, "response_code": { status($0.response?.status ?? 0) },
        "http_version": { .string($0.response?.version.rawValue ?? "0") },
        "content_type": { $0.response?.fields[.contentType].map { .string($0) } ?? .null },
        "errormsg": { $0.failure?.message.map { .string($0) } ?? .null },
        "exitcode": { number(Int($0.failure?.status.number ?? 0)) },
        "ftp_entry_path": { _ in .null }, "filename_effective": { $0.file.map { .string($0) } ?? .null },
        "method": { .string($0.request.method.name) },
        "certs": { .string($0.certificates.map(text).joined()) }, "num_certs": { number($0.certificates.count) },
        "http_connect": { status($0.connectStatus) }, "num_connects": { number($0.connections) },
        "ssl_verify_result": { number($0.verifyResult) },
        "proxy_ssl_verify_result": { facts in
            // Without verification, the result of libcurl's check of an https proxy's certificate is unknown.
            let options = facts.request.options
            let isUnknown = options.tls.verify == false && options.proxy?.lowercased().hasPrefix("https:") ?? false
            return isUnknown ? .null : number(0)
        },
        "remote_ip": { .string($0.remote.address) }, "remote_port": { number($0.remote.port) },
        "local_ip": { .string($0.local.address) }, "local_port": { number($0.local.port) },
        "size_header": { number($0.headSize) }, "size_request": { number($0.requestSize) },
        "num_headers": { number($0.response?.fields.count ?? 0) },
        "num_redirects": { number($0.redirects) }, "num_retries": { number($0.repetitions) },
        "redirect_url": { facts in
            guard let head = facts.response, (300...399).contains(head.status), let location = head.fields[.location]
            else { return .null }
            return .string(URLParts.resolve(location, against: facts.url, normalizing: false) ?? location)
        },
        "referer": { $0.request.fields["Referer"].map { .string($0) } ?? .null },
        "scheme": { .string(URLParts($0.url)?.scheme?.uppercased() ?? "") },
        "size_download": { number($0.received) }, "size_upload": { number($0.sent) },
        "speed_download": { number(speed($0.received, $0.total)) },
        "speed_upload": { number(speed($0.sent, $0.total)) },
        "time_namelookup": { time($0.steps["nameLookup"]) }, "time_connect": { time($0.steps["connect"]) },
        "time_appconnect": { time($0.steps["tls"]) },
        "time_pretransfer": { facts in time(max(facts.steps["connect"] ?? .zero, facts.steps["tls"] ?? .zero)) },
        "time_starttransfer": { time($0.steps["firstByte"]) },
        "time_redirect": { facts in
            time(facts.redirects > 0 ? max(facts.total - (facts.steps["total"] ?? .zero), .zero) : .zero)
        },
        "time_total": { time($0.total) },
        "url": { .string($0.request.url) }, "url_effective": { .string($0.url) },
        "urlnum": { number($0.urlNumber) },
    ]

    /// The printable lines of a certificate, whose PEM form libcurl has after the name `Cert`.
    private static func text(of certificate: String) -> String {
        certificate.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Printable.text(String($0.lowercased().hasPrefix("cert:") ? $0.dropFirst(5) : $0)) }
            .joined(separator: "\n")
    }

    private static func status(_ status: Int) -> JSONValue {
        let digits = "\(status)"
        return .string(String(repeating: "0", count: max(3 - digits.count, 0)) + digits)
    }

    private static func number(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }

    /// Seconds with six digits after the point.
    private static func time(_ duration: Duration?) -> JSONValue {
        let microseconds = Int((duration ?? .zero) / .microseconds(1))
        let digits = "\(microseconds % 1_000_000)"
        let fraction = String(repeating: "0", count: 6 - digits.count) + digits
        return JSONNumber(text: "\(microseconds / 1_000_000).\(fraction)").map { .number($0) } ?? .null
    }

    /// Bytes a second.
    private static func speed(_ bytes: Int, _ time: Duration) -> Int {
        let seconds = time / .seconds(1)
        return seconds > 0 ? Int(Double(bytes) / seconds) : 0
    }

    /// One object with all variables, on one line.
    private static func json(_ facts: Facts) -> String {
        var object = JSONObject()
        for (name, value) in variables.sorted(by: { $0.key < $1.key }) { object[name] = value(facts) }
        object["http_connect"] = number(facts.connectStatus)
        object["http_code"] = number(facts.response?.status ?? 0)
        object["response_code"] = number(facts.response?.status ?? 0)
        object["curl_version"] = curl_version().map { .string(String(cString: $0)) } ?? .null
        return JSONWriter.write(.object(object))
    }

    /// The fields of the response by their names in lower case, each with the list of its values, one on each line.
    private static func headers(_ facts: Facts) -> String {
        var values: [(name: String, values: [JSONValue])] = []
        var indices: [String: Int] = [:]
        for field in facts.response?.fields ?? Fields() {
            let name = field.name.lowercased()
            if let index = indices[name] {
                values[index].values.append(.string(field.value))
            } else {
                indices[name] = values.count
                values.append((name, [.string(field.value)]))
            }
        }
        let lines = values.map { name, values in
            "\(JSONWriter.write(.string(name)) as String):\(JSONWriter.write(.array(values)) as String)"
        }
        return "{\(lines.joined(separator: ",\n"))\n}"
    }
}
