/// A URL, or a file of `-T`, with lists `{a,b}` and ranges `[1-9]`, `[001-100:2]`, `[a-z]`, as curl reads it.
struct URLGlob {
    private enum Part {
        case text(String)
        case list([String])
    }

    /// The most values of a range, and the most URLs of a pattern.
    private static let limit = 100_000

    private var parts: [Part] = []
    /// The number of URLs.
    private(set) var count = 1

    /// - Parameter isLiteral: Whether braces and brackets are part of the URL, as with `--globoff`.
    init(_ text: String, isLiteral: Bool = false) throws(CommandFailure) {
        guard !isLiteral else {
            parts = [.text(text)]
            return
        }
        var literal = ""
        var rest = text[...]
        while let character = rest.first {
            switch character {
            case "{":
                let list = try URLGlob.list(URLGlob.inside(&rest, closedBy: "}"))
                try add(list, after: &literal)
            // Names of parameters can end with empty brackets.
            case "[" where rest.hasPrefix("[]"):
                literal += "[]"
                rest = rest.dropFirst(2)
            case "[":
                if let address = URLGlob.address(at: rest) {
                    literal += rest[..<address]
                    rest = rest[address...]
                    continue
                }
                let range = try URLGlob.range(URLGlob.inside(&rest, closedBy: "]"))
                try add(range, after: &literal)
            case "}", "]": throw URLGlob.error("a \(character) is not opened")
            case "\\" where rest.dropFirst().first.map { "{}[]".contains($0) } ?? false:
                rest.removeFirst()
                literal.append(rest.removeFirst())
            default: literal.append(rest.removeFirst())
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
    }

    private mutating func add(_ list: [String], after literal: inout String) throws(CommandFailure) {
        if !literal.isEmpty { parts.append(.text(literal)) }
        literal = ""
        parts.append(.list(list))
        // Both are at most the limit.
        count *= list.count
        guard count <= URLGlob.limit else { throw URLGlob.error("it means more than \(URLGlob.limit) URLs") }
    }

    /// The URL at this index, of which the last list changes first, and the values of the lists in it.
    func url(at index: Int) -> (url: String, values: [String]) {
        var index = index
        var url = ""
        var values: [String] = []
        for part in parts.reversed() {
            switch part {
            case .text(let text): url = text + url
            case .list(let list):
                url = list[index % list.count] + url
                values.append(list[index % list.count])
                index /= list.count
            }
        }
        return (url, values.reversed())
    }

    /// The name of a file in which `#1` is the value of the first list.
    static func name(_ name: String, with values: [String]) -> String {
        guard name.contains("#") else { return name }
        var filled = ""
        var rest = name[...]
        while let character = rest.popFirst() {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard character == "#", let number = Int(digits), values.indices.contains(number - 1) else {
                filled.append(character)
                continue
            }
            filled += values[number - 1]
            rest = rest[digits.endIndex...]
        }
        return filled
    }

    // MARK: Reading

    private static func error(_ reason: String) -> CommandFailure {
        CommandFailure(.url, "The pattern of a URL or of -T cannot be used: \(reason). --globoff takes it as it is.")
    }

    /// Takes what stands between a bracket, which is first, and the next closing one.
    private static func inside(_ rest: inout Substring, closedBy end: Character) throws(CommandFailure) -> Substring {
        let start = rest.removeFirst()
        guard let close = rest.firstIndex(of: end) else { throw error("a \(start) is not closed") }
        defer { rest = rest[rest.index(after: close)...] }
        return rest[..<close]
    }

    private static func list(_ text: Substring) throws(CommandFailure) -> [String] {
        if text.contains("{") || text.contains("[") { throw error("a list is inside of another") }
        if text.isEmpty { throw error("a list is empty") }
        return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func range(_ text: Substring) throws(CommandFailure) -> [String] {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        let step = parts.count > 1 ? Int(parts[1]) ?? 0 : 1
        guard parts.count <= 2, ends.count == 2, step > 0 else { throw error("a range must be like [1-9] or [a-z:2]") }
        if ends[0].count == 1, ends[1].count == 1, let first = ends[0].utf8.first, let last = ends[1].utf8.first,
            isLetter(first), isLetter(last), first <= last
        {
            return stride(from: Int(first), through: Int(last), by: step).map { String(UnicodeScalar(UInt8($0))) }
        }
        guard let first = Int(ends[0]), let last = Int(ends[1]), first >= 0, first <= last,
            (last - first) / step < limit
        else { throw error("a range must be like [1-9] or [a-z:2], and have at most \(limit) values") }
        let width = ends[0].hasPrefix("0") ? ends[0].count : 0
        return stride(from: first, through: last, by: step).map { number in
            let digits = String(number)
            return String(repeating: "0", count: max(width - digits.count, 0)) + digits
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }

    /// The index after an IPv6 address in brackets with which the text begins; nil if it begins with none.
    private static func address(at text: Substring) -> Substring.Index? {
        guard let close = text.firstIndex(of: "]") else { return nil }
        let inside = text[text.index(after: text.startIndex)..<close]
        let isAddress = inside.contains(":") && !inside.contains("-") || inside.hasPrefix("::")
        guard isAddress, inside.filter({ $0 == ":" }).count >= 2 else { return nil }
        return text.index(after: close)
    }
}
