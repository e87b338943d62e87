import PlugboardKit

/// A body of multipart/form-data (RFC 7578). Files are read while they are sent.
struct MultipartForm {
    let boundary: String
    let body: Body

    init(_ parts: [FormPart]) throws(CommandFailure) {
        // 128 random bits do not occur in a body by chance.
        let boundary = "plugboard-" + (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        var bodies: [Body] = []
        for part in parts {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(MultipartForm.escaped(part.name))\""
            if let file = part.fileName { head += "; filename=\"\(MultipartForm.escaped(file))\"" }
            if let type = part.type { head += "\r\nContent-Type: \(type)" }
            let content: Body
            switch part.content {
            case .text(let text): content = .text(text)
            case .file(let path): content = try InputArgument(path: path).body(for: "--form")
            }
            bodies += [.text(head + "\r\n\r\n"), content, .text("\r\n")]
        }
        bodies.append(.text("--\(boundary)--\r\n"))
        self.boundary = boundary
        body = .joined(bodies)
    }

    /// As the HTML standard writes names: quotes and line ends in percent encoding.
    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\"": text += "%22"
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
