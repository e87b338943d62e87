import PlugboardKit

/// A request as a command line of curl, in one line, for sh. A word with control characters is written `$'…'`
/// (POSIX.1-2024, Shell Command Language, 2.2.4), which dash does not know.
public struct CurlLine {
    private var words = ["curl"]

    /// - Parameters:
    ///   - fields: The request's fields. A field is left out if its name is not a token (RFC 9110 §5.1), such as
    ///     `:authority` of HTTP/2, or `@file`, which curl would take for a file to read.
    ///   - body: Nil for none.
    public init(_ method: String, _ url: String, fields: [(name: String, value: String)], body: String?) {
        if method == "HEAD" {
            words.append("-I")
        } else if method != (body == nil ? "GET" : "POST") {
            words += ["-X", method]
        }
        let fields = fields.filter { name, value in
            var reader = FieldReader(name)
            return reader.token() == name && !value.utf8.contains { [0x00, 0x0A, 0x0D].contains($0) }
        }
        for (name, value) in fields { words += ["-H", value.isEmpty ? "\(name);" : "\(name): \(value)"] }
        if let body {
            if !fields.contains(where: { $0.name.lowercased() == "content-type" }) { words += ["-H", "Content-Type:"] }
            words += ["--data-raw", body]
        }
        words += ["-g", "--url", url]
    }

    /// The line, without its end.
    public var text: String { words.map(quoted).joined(separator: " ") }

    /// What could control a terminal, or hide a part of the line.
    private func isControl(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isASCII && Printable.text(String(scalar)) != String(scalar)
            || scalar.properties.generalCategory == .control
    }

    private func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "'", "\\": return "\\\(scalar)"
        default: break
        }
        guard isControl(scalar) else { return String(scalar) }
        // Octal digits, of which there are three at most: hexadecimal ones would take in what follows.
        return String(scalar).utf8.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
        }.joined()
    }

    private func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-_./:=,@%+".utf8.contains(byte)
            }
        if word.unicodeScalars.contains(where: isControl) {
            return "$'" + word.unicodeScalars.map(escaped).joined() + "'"
        }
        return isPlain
            ? word
            : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
