import PlugboardKit

/// A file of options for curl's `-K`: one option on each line, with or without hyphens, and its value after `=`, `:` or
/// blanks, in quotes if it has blanks. `#` begins a comment.
enum CurlFile {
    /// The words of each line.
    ///
    /// - Parameter isOfCurl: Whether all options are curl's, as behind `plugboard curl`. For a verb, an option that
    ///   curl does not have takes the value on its line.
    static func lines(
        of text: String, named path: String, isOfCurl: Bool = true
    ) throws(CommandFailure) -> [[String]] {
        var all: [[String]] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let rest = line.drop(while: isBlank)
            if rest.isEmpty || rest.hasPrefix("#") { continue }
            do throws(CommandFailure) {
                all.append(try words(of: rest, isOfCurl))
            } catch {
                throw CommandFailure(
                    error.status, "\(Printable.text(path)), line \(index + 1): \(error.message ?? "")")
            }
        }
        return all
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    private static func words(of line: Substring, _ isOfCurl: Bool) throws(CommandFailure) -> [String] {
        var name = line.prefix { !isBlank($0) && $0 != "=" && $0 != ":" }
        // The letter of --next is a colon.
        if line.hasPrefix("-:") { name = line.prefix(2) }
        var rest = line[name.endIndex...].drop(while: isBlank)
        if let sign = rest.first, sign == "=" || sign == ":" { rest = rest.dropFirst().drop(while: isBlank) }
        let word = name.hasPrefix("-") ? String(name) : "--\(name)"
        if rest.hasPrefix("\"") { return [word, try unquoted(rest.dropFirst())] }
        let value = String(rest.prefix { !isBlank($0) })
        guard try takesValue(word, isOfCurl) else { return [word] }
        return value.isEmpty ? [word] : [word, value]
    }

    private static func takesValue(_ word: String, _ isOfCurl: Bool) throws(CommandFailure) -> Bool {
        if word.hasPrefix("--") {
            let name = String(word.dropFirst(2))
            guard isOfCurl else { return CurlOption.named(name)?.takesValue ?? true }
            return try CurlOption.long(name)?.takesValue ?? false
        }
        return word.count == 2 && word.last.flatMap { CurlOption.short($0)?.takesValue } ?? false
    }

    /// The text up to the closing quote, with curl's escapes.
    private static func unquoted(_ text: Substring) throws(CommandFailure) -> String {
        var plain = ""
        var rest = text
        while let character = rest.popFirst() {
            if character == "\"" { return plain }
            guard character == "\\", let next = rest.popFirst() else {
                plain.append(character)
                continue
            }
            plain.append(["t": "\t", "n": "\n", "r": "\r", "v": "\u{0B}"][next] ?? next)
        }
        throw CommandFailure(.usage, "a double quote is not closed.")
    }
}
