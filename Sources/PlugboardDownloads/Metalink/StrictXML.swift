import PlugboardMessages

/// Reads small documents of XML 1.0 in UTF-8 into elements, in linear time.
///
/// A library would be too large a dependency for all programs with downloads: FoundationXML needs Foundation, and
/// libexpat is another package to install. XML that Metalink does not need is refused: document types, and so their own
/// entities, and encodings other than UTF-8.
struct StrictXML {
    struct Element: Sendable {
        let name: String
        var attributes: [(name: String, value: String)] = []
        var children: [Element] = []
        /// The text directly in the element.
        var text: [UInt8] = []

        subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

        var trimmed: String {
            var rest = text[...].drop(while: StrictXML.isSpace)
            while let last = rest.last, StrictXML.isSpace(last) { rest.removeLast() }
            return String(decoding: rest, as: UTF8.self)
        }
    }

    struct Refused: Error {
        let line: Int
        let reason: String
    }

    private static let depthLimit = 32
    private static let sizeLimit = 16 << 20

    private let bytes: [UInt8]
    private var index = 0

    static func read(_ bytes: [UInt8]) throws(Refused) -> Element {
        guard bytes.count <= sizeLimit else { throw Refused(line: 1, reason: "it is larger than 16 MiB") }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Refused(line: 1, reason: "it is not text in UTF-8")
        }
        var reader = StrictXML(bytes: bytes)
        return try reader.document()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func document() throws(Refused) -> Element {
        if starts(with: "\u{FEFF}") { index += 3 }
        if starts(with: "<?xml"), index + 5 < bytes.count, StrictXML.isSpace(bytes[index + 5]) { try declaration() }
        /// The open elements, below a container for the root.
        var open = [Element(name: "")]
        while index < bytes.count {
            if bytes[index] != UInt8(ascii: "<") {
                try text(into: &open)
            } else if starts(with: "<!--") {
                try skip(to: "-->", "a comment")
            } else if starts(with: "<?") {
                try skip(to: "?>", "an instruction")
            } else if starts(with: "<![CDATA["), open.count > 1 {
                let first = index + 9
                try skip(to: "]]>", "a CDATA section")
                open[open.count - 1].text += bytes[first..<index - 3]
            } else if starts(with: "</") {
                try end(&open)
            } else if starts(with: "<!") {
                throw refused("it has a document type, which is not read")
            } else {
                try start(&open)
            }
        }
        guard open.count == 1 else { throw refused("the element \(open[open.count - 1].name) is not ended") }
        guard let root = open[0].children.first, open[0].children.count == 1 else {
            throw refused("it has no single root")
        }
        return root
    }

    /// Reads the XML declaration (§2.8), whose encoding must be UTF-8 or its subset US-ASCII.
    private mutating func declaration() throws(Refused) {
        index += 5
        while true {
            skipSpace()
            if starts(with: "?>") {
                index += 2
                return
            }
            let attribute = try name()
            skipSpace()
            guard starts(with: "=") else { throw refused("the declaration of XML is not well formed") }
            index += 1
            skipSpace()
            let value = try value()
            if attribute == "encoding", !["utf-8", "us-ascii"].contains(value.lowercased()) {
                throw refused(
                    "its encoding is declared as \(Printable.text(value)), and only UTF-8 is read; convert the document"
                )
            }
        }
    }

    private mutating func text(into open: inout [Element]) throws(Refused) {
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            let characters = try character()
            if open.count > 1 {
                open[open.count - 1].text += characters
            } else if !characters.allSatisfy(StrictXML.isSpace) {
                throw refused("there is text outside the root")
            }
        }
    }

    /// Reads one byte of text, or the characters of a reference.
    private mutating func character() throws(Refused) -> [UInt8] {
        let byte = bytes[index]
        guard byte == UInt8(ascii: "&") else {
            guard byte >= 0x20 || StrictXML.isSpace(byte) else { throw refused("a control character is not allowed") }
            index += 1
            return [byte]
        }
        // The longest reference is &#1114111; with leading zeros.
        guard let length = bytes[index...].prefix(16).firstIndex(of: UInt8(ascii: ";")).map({ $0 - index }) else {
            throw refused("an & does not begin a reference")
        }
        let name = String(decoding: bytes[index + 1..<index + length], as: UTF8.self)
        index += length + 1
        switch name {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default:
            let number =
                name.hasPrefix("#x")
                ? UInt32(name.dropFirst(2), radix: 16)
                : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
            guard let scalar = number.flatMap({ Unicode.Scalar($0) }),
                scalar.value >= 0x20 || scalar.value == 9 || scalar.value == 10
            else { throw refused("the entity \(Printable.text(name)) is not known") }
            return Array(String(Character(scalar)).utf8)
        }
    }

    private mutating func start(_ open: inout [Element]) throws(Refused) {
        guard open.count <= StrictXML.depthLimit else { throw refused("it is nested too deeply") }
        index += 1
        var element = Element(name: try name())
        while true {
            let hadSpace = skipSpace()
            if starts(with: "/>") {
                index += 2
                open[open.count - 1].children.append(element)
                return
            }
            if starts(with: ">") {
                index += 1
                open.append(element)
                return
            }
            guard hadSpace else { throw refused("the tag of \(element.name) is not well formed") }
            let attribute = try name()
            guard element[attribute] == nil, element.attributes.count < 64 else {
                throw refused("\(element.name) has an attribute twice, or too many")
            }
            skipSpace()
            guard starts(with: "=") else { throw refused("the attribute \(attribute) has no value") }
            index += 1
            skipSpace()
            element.attributes.append((attribute, try value()))
        }
    }

    private mutating func value() throws(Refused) -> String {
        guard index < bytes.count, case let quote = bytes[index],
            quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { throw refused("the value of an attribute has no quotes") }
        index += 1
        var value: [UInt8] = []
        while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "<") { value += try character() }
        guard index < bytes.count, bytes[index] == quote else {
            throw refused("the value of an attribute is not ended")
        }
        index += 1
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func end(_ open: inout [Element]) throws(Refused) {
        index += 2
        let name = try name()
        skipSpace()
        guard starts(with: ">") else { throw refused("the end of \(name) is not well formed") }
        index += 1
        guard open.count > 1, open[open.count - 1].name == name else {
            throw refused("the end of \(name) is not that of the open element")
        }
        let element = open.removeLast()
        open[open.count - 1].children.append(element)
    }

    private mutating func name() throws(Refused) -> String {
        let first = index
        while index < bytes.count, !StrictXML.isSpace(bytes[index]), !"/>=<\"'&!?".utf8.contains(bytes[index]) {
            index += 1
        }
        guard index > first else { throw refused("a name is missing") }
        return String(decoding: bytes[first..<index], as: UTF8.self)
    }

    // MARK: Bytes

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let first = index
        while index < bytes.count, StrictXML.isSpace(bytes[index]) { index += 1 }
        return index > first
    }

    private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func skip(to end: String, _ what: String) throws(Refused) {
        while index < bytes.count {
            if starts(with: end) {
                index += end.utf8.count
                return
            }
            index += 1
        }
        throw refused("\(what) is not ended")
    }

    private func refused(_ reason: String) -> Refused {
        Refused(line: bytes[..<min(index, bytes.count)].count { $0 == 0x0A } + 1, reason: reason)
    }
}
