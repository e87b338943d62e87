/// A page in Markdown, as far as it can be checked.
struct Document {
    /// A fenced block. The words after its opening fence, or in a comment on the line before, say whose text it is:
    /// of a whole file, or `part` of one.
    struct Block {
        let language: String
        /// The file whose text it shows; empty if it names none.
        let file: String
        let isPart: Bool
        let text: String

        init(_ info: [Substring], _ text: String) {
            language = info.first.map(String.init) ?? ""
            file = info.dropFirst().first.map(String.init) ?? ""
            isPart = info.dropFirst(2).first == "part"
            self.text = text
        }
    }

    let path: String
    let lines: [String]
    let blocks: [Block]

    init(_ path: String) throws {
        self.path = path
        lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        blocks = Document.blocks(in: lines)
    }

    /// The commands of all blocks of shell.
    var commands: [String] {
        blocks.filter { $0.language == "sh" }.flatMap { $0.text.split(separator: "\n").map(String.init) }
    }

    /// The lines outside of fenced blocks.
    private var prose: [String] {
        var isCode = false
        return lines.filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }
    }

    /// Where its links lead, without those that leave the repository and those within the page.
    var links: [String] {
        prose.flatMap { line in
            line.matches(of: /\]\(([^)#]+)[^)]*\)/).map { String($0.output.1) }
        }.filter { !$0.hasPrefix("https://") }
    }

    /// Where its links lead that name a heading: the file, empty for the page itself, and the heading.
    var anchors: [(file: String, heading: String)] {
        prose.flatMap { line in
            line.matches(of: /\]\(([^)#]*)#([^)]+)\)/).map { (String($0.output.1), String($0.output.2)) }
        }.filter { !$0.0.hasPrefix("https://") }
    }

    /// The headings as links name them: in lower case, with hyphens for blanks and without punctuation.
    var headings: [String] {
        prose.filter { $0.hasPrefix("#") }.map { line in
            line.drop { $0 == "#" }.trimmingPrefix(" ").lowercased().compactMap { character -> String? in
                if character == " " { return "-" }
                return character.isLetter || character.isNumber || "-_".contains(character) ? String(character) : nil
            }.joined()
        }
    }

    /// The rows of the tables under a heading, without the rows above and at the line of hyphens.
    func rows(under heading: String) -> [String] {
        let section = lines.drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("#") }
        let table = section.filter { $0.hasPrefix("|") }
        return zip(table, table.dropFirst() + [""]).filter { row, next in
            !row.hasPrefix("|---") && !next.hasPrefix("|---")
        }.map(\.0)
    }

    private static func blocks(in lines: [String]) -> [Block] {
        var blocks: [Block] = []
        var open: (info: [Substring], lines: [String])?
        // DocC takes all words after a fence for the language, so its pages have them in a comment before it.
        var comment: [Substring] = []
        for line in lines {
            if let block = open {
                if line == "```" {
                    blocks.append(Block(block.info, block.lines.map { $0 + "\n" }.joined()))
                    open = nil
                } else {
                    open = (block.info, block.lines + [line])
                }
            } else if line.hasPrefix("```") {
                open = (line.dropFirst(3).split(separator: " ") + comment, [])
            }
            let isComment = line.hasPrefix("<!-- ") && line.hasSuffix(" -->")
            comment = isComment ? line.dropFirst(5).dropLast(4).split(separator: " ") : []
        }
        return blocks
    }
}
