import PlugboardMessages

extension MultipartForm {
    /// A part of a form: a name, a content, and for files a file name and a content type.
    public struct Part: Sendable {
        enum Content: Sendable {
            case bytes(Bytes)
            case body(Body)
        }

        /// The name of the form's field.
        public let name: String
        /// The name of the file, as it is sent; nil for a part that is not a file.
        public let fileName: String?
        /// The content type; nil for none, which means text.
        public let type: String?
        let content: Content
        /// Further fields; one with a name of those above takes its place.
        package var fields = Fields()

        private init(_ name: String, _ content: Content, _ fileName: String?, _ type: String?) {
            self.name = name
            self.content = content
            self.fileName = fileName
            self.type = type ?? fileName.map { MediaType.name(ofFile: $0) }
        }

        /// A text in UTF-8.
        public static func text(_ name: String, _ text: String) -> Part { Part(name, .bytes(Bytes(text)), nil, nil) }

        /// Bytes in memory.
        ///
        /// - Parameters:
        ///   - fileName: The name that the server sees; nil for a part that is not a file.
        ///   - type: The content type; nil for that of the file name's extension, or none without a file name.
        public static func data(
            _ name: String, _ bytes: Bytes, fileName: String? = nil, type: String? = nil
        ) -> Part {
            Part(name, .bytes(bytes), fileName, type)
        }

        /// A file, which is opened now and read while it is sent.
        ///
        /// Throws `body.read` if it cannot be opened or is not a regular file. Sending fails with the same code if the
        /// size of the file changes. If the file is removed or replaced, the opened file is sent.
        /// - Parameters:
        ///   - fileName: The name that the server sees; nil for the last component of the path.
        ///   - type: The content type; nil for that of the file name's extension.
        public static func file(
            _ name: String, _ path: String, fileName: String? = nil, type: String? = nil
        ) throws(PlugboardError) -> Part {
            let last = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] }
            return Part(name, .body(try .file(path)), fileName ?? String(last ?? path[...]), type)
        }

        /// The elements of a sequence, as it produces them. The part cannot be sent again.
        ///
        /// - Parameters:
        ///   - length: The total number of bytes; nil if it is unknown. Sending fails if the number is different.
        ///   - fileName: The name that the server sees; nil for a part that is not a file.
        ///   - type: The content type; nil for that of the file name's extension, or none without a file name.
        public static func stream<Pieces: AsyncSequence & Sendable>(
            _ name: String, _ pieces: Pieces, length: Int? = nil, fileName: String? = nil, type: String? = nil
        ) -> Part where Pieces.Element == Bytes {
            body(name, .stream(pieces, length: length), fileName: fileName, type: type)
        }

        /// Any body. Sending fails if it does not have its announced length.
        ///
        /// - Parameters:
        ///   - fileName: The name that the server sees; nil for a part that is not a file.
        ///   - type: The content type; nil for that of the file name's extension, or none without a file name.
        public static func body(
            _ name: String, _ body: Body, fileName: String? = nil, type: String? = nil
        ) -> Part {
            guard let length = body.length else { return Part(name, .body(body), fileName, type) }
            let exact = ExactSource(
                body.source, length: length, subject: "The part \(Printable.text(name)) of the form")
            return Part(name, .body(Body(exact)), fileName, type)
        }

        /// The fields of the part and the empty line after them.
        func head() throws(PlugboardError) -> String {
            var lines: [String] = []
            if !fields.contains("Content-Disposition") {
                let file = fileName.map { "; filename=\"\(Part.escaped($0))\"" } ?? ""
                lines = ["Content-Disposition: form-data; name=\"\(Part.escaped(Part.withLineEnds(name)))\"\(file)"]
            }
            if let type, !fields.contains(.contentType) {
                guard MediaType(type) != nil, type.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
                    throw PlugboardError(
                        .requestParameter,
                        "The content type of the part \(Printable.text(name)) must be a media type such as text/plain.")
                }
                lines.append("Content-Type: \(type)")
            }
            for field in fields { lines.append("\(field.name): \(field.value)") }
            return lines.joined(separator: "\r\n") + "\r\n\r\n"
        }

        /// The name by the HTML standard (§4.10.22.7): quotes and line ends in percent encoding, the rest in UTF-8.
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

        /// HTML standard §4.10.22.7: line ends of a name are written as CR LF, but not those of a file name.
        private static func withLineEnds(_ name: String) -> String {
            var text = String.UnicodeScalarView()
            var last: Unicode.Scalar?
            for scalar in name.unicodeScalars {
                if last == "\r", scalar != "\n" { text.append("\n") }
                if scalar == "\n", last != "\r" { text.append("\r") }
                text.append(scalar)
                last = scalar
            }
            if last == "\r" { text.append("\n") }
            return String(text)
        }
    }
}
