/// Text in the form of man(7).
enum Roff {
    /// A text in which nothing has a meaning for roff, on one line.
    static func text(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "\n": escaped += " "
            default: escaped.append(character)
            }
        }
        // At the beginning of a line, these begin a request of roff.
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
    }

    /// Paragraphs, which empty lines divide; lines that begin with a space keep their layout.
    static func paragraphs(_ lines: [Substring]) -> [String] {
        var written: [String] = []
        var isVerbatim = false
        for line in lines {
            if line.hasPrefix(" ") != isVerbatim, !line.isEmpty {
                written.append(isVerbatim ? ".EE" : ".EX")
                isVerbatim.toggle()
            }
            if !line.isEmpty {
                written.append(text(String(line)))
            } else if let last = written.last, last != ".PP" {
                written.append(isVerbatim ? "" : ".PP")
            }
        }
        if isVerbatim { written.append(".EE") }
        if written.last == ".PP" { written.removeLast() }
        return written
    }
}
