import PlugboardKit

/// A body of multipart/form-data (RFC 7578). Files are read while they are sent.
struct MultipartForm {
    let boundary: String
    let body: Body

    /// - Parameter parts: `name=value` or `name=@FILE`.
    init(_ parts: [String]) throws(CommandFailure) {
        // 128 random bits stand in no body by chance.
        let boundary = "plugboard-" + (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        var sources: [any BodySource] = []
        for part in parts {
            guard let equals = part.firstIndex(of: "="), equals != part.startIndex else {
                throw CommandFailure(.usage, "--form must be name=value or name=@FILE.")
            }
            let name = MultipartForm.escaped(part[..<equals])
            let value = part[part.index(after: equals)...]
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\""
            let content: Body
            if value.hasPrefix("@") {
                let path = value.dropFirst()
                let file = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path
                head += "; filename=\"\(MultipartForm.escaped(file))\"\r\nContent-Type: application/octet-stream"
                content = path == "-" ? Body(StandardInputSource()) : try FileBody.open(String(path))
            } else {
                content = .text(String(value))
            }
            sources += [Body.text(head + "\r\n\r\n").source, content.source, Body.text("\r\n").source]
        }
        sources.append(Body.text("--\(boundary)--\r\n").source)
        self.boundary = boundary
        body = Body(JoinedSource(sources))
    }

    /// As the HTML standard writes names: quotes and line ends in percent encoding.
    private static func escaped(_ name: Substring) -> String {
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
