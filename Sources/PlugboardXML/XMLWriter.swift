/// Writes a tree as a document in UTF-8.
struct XMLWriter {
    struct Refused: Error {
        let reason: String
    }

    private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    /// The creators of a tree limit its depth.
    mutating func write(_ element: XMLTree) throws(Refused) {
        let name = try checked(element.name)
        text += "<\(name)"
        for (name, value) in element.attributes {
            text += " \(try checked(name))=\""
            try append(value, isAttribute: true)
            text += "\""
        }
        guard !element.children.isEmpty || !element.text.isEmpty else {
            text += "/>"
            return
        }
        text += ">"
        try append(element.text, isAttribute: false)
        for child in element.children { try write(child) }
        text += "</\(name)>"
    }

    /// Throws if a name could end a tag or begin another one (XML 1.0 §2.3, without its rarer letters).
    private func checked(_ name: String) throws(Refused) -> String {
        let isName = name.unicodeScalars.enumerated().allSatisfy { position, scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "_", ":", "\u{C0}"..."\u{D6}", "\u{D8}"..."\u{F6}", "\u{F8}"..."\u{1FFF}",
                "\u{3001}"..."\u{D7FF}":
                true
            case "0"..."9", "-", ".", "\u{B7}": position > 0
            default: false
            }
        }
        guard isName, !name.isEmpty else { throw Refused(reason: "a key is not a name of XML") }
        return name
    }

    private mutating func append(_ value: String, isAttribute: Bool) throws(Refused) {
        for scalar in value.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"" where isAttribute: text += "&quot;"
            // A parser would convert these to other characters unless they are escaped.
            case "\r": text += "&#13;"
            case "\n" where isAttribute: text += "&#10;"
            case "\t" where isAttribute: text += "&#9;"
            case "\t", "\n", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"..."\u{10FFFF}":
                text.unicodeScalars.append(scalar)
            default: throw Refused(reason: "a text has a control character, which XML cannot hold")
            }
        }
    }
}
