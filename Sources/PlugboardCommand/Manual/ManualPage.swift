import PlugboardJSON

/// A page of the manual for one verb, in the form of man(7).
///
/// It is made from the parser's description of the command line, from which `--help` is made, too.
struct ManualPage {
    /// `plugboard`, or `plugboard-get`: the name of the page in section 1 of the manual.
    let name: String
    /// The page, in UTF-8, with a line end after each line.
    let text: String

    /// The pages of a command and of all its verbs that help shows.
    ///
    /// - Parameter command: The member `command` of the parser's description.
    static func all(of command: JSONValue) -> [ManualPage] {
        let verbs = (command["subcommands"]?.arrayValue ?? []).filter { verb in
            verb["shouldDisplay"]?.boolValue == true && verb["commandName"]?.stringValue != "help"
        }
        return [ManualPage(command, verbs)] + verbs.flatMap { all(of: $0) }
    }

    private init(_ command: JSONValue, _ verbs: [JSONValue]) {
        let words = ManualPage.words(of: command)
        let options = (command["arguments"]?.arrayValue ?? []).filter { $0["shouldDisplay"]?.boolValue == true }
        name = words.joined(separator: "-")
        let title = "\(name) \\- \(Roff.text(ManualPage.sentence(command["abstract"]?.stringValue ?? "")))"
        var lines = [".TH \(name.uppercased()) 1 \"\" \"plugboard \(Program.version)\"", ".SH NAME", title]
        lines += [".SH SYNOPSIS", ManualPage.synopsis(words, options, hasVerbs: !verbs.isEmpty)]
        let (description, rest) = ManualPage.sections(of: command["discussion"]?.stringValue ?? "")
        if !description.isEmpty { lines += [".SH DESCRIPTION"] + Roff.paragraphs(description) }
        if !verbs.isEmpty {
            lines.append(".SH VERBS")
            for verb in verbs {
                let page = ManualPage.words(of: verb).joined(separator: "-")
                lines += [".TP", "\\fB\(Roff.text(page))\\fR(1)", Roff.text(verb["abstract"]?.stringValue ?? "")]
            }
        }
        lines += ManualPage.options(options)
        for section in rest { lines += [".SH \(section.title)"] + Roff.paragraphs(section.lines) }
        if words.count > 1 {
            lines += [".SH SEE ALSO", "\\fB\(Roff.text(words.dropLast().joined(separator: "-")))\\fR(1)"]
        }
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func words(of command: JSONValue) -> [String] {
        ((command["superCommands"]?.arrayValue ?? []) + [command["commandName"] ?? ""]).compactMap(\.stringValue)
    }

    /// The abstract as the line NAME wants it: without a full stop, and not with a capital letter at its beginning.
    private static func sentence(_ abstract: String) -> String {
        let text = abstract.hasSuffix(".") ? abstract.dropLast() : abstract[...]
        let second = text.dropFirst().first
        return second?.isUppercase == true ? String(text) : text.prefix(1).lowercased() + text.dropFirst()
    }

    private static func synopsis(_ words: [String], _ options: [JSONValue], hasVerbs: Bool) -> String {
        var synopsis = "\\fB\(words.map { Roff.text($0) }.joined(separator: " "))\\fR"
        if hasVerbs { return synopsis + " \\fIverb\\fR ..." }
        for option in options where option["kind"]?.stringValue == "positional" {
            let name = "\\fI\(Roff.text(option["valueName"]?.stringValue ?? ""))\\fR"
            let several = option["isRepeating"]?.boolValue == true ? " ..." : ""
            synopsis += option["isOptional"]?.boolValue == true ? " [\(name)\(several)]" : " \(name)\(several)"
        }
        return synopsis + " [options]"
    }

    // MARK: Options

    /// The options below the titles that help gives them, in their order there.
    private static func options(_ options: [JSONValue]) -> [String] {
        var titles: [String] = []
        var entries: [String: [String]] = [:]
        for option in options {
            let isPositional = option["kind"]?.stringValue == "positional"
            let title = option["sectionTitle"]?.stringValue ?? (isPositional ? "Arguments" : "Options")
            if entries[title] == nil { titles.append(title) }
            entries[title, default: []] += entry(option)
        }
        return titles.flatMap { [".SH \($0.uppercased())"] + (entries[$0] ?? []) }
    }

    private static func entry(_ option: JSONValue) -> [String] {
        let value = "\\fI\(Roff.text(option["valueName"]?.stringValue ?? ""))\\fR"
        let names = (option["names"]?.arrayValue ?? []).compactMap { name -> String? in
            guard let text = name["name"]?.stringValue else { return nil }
            return "\\fB\(Roff.text((name["kind"]?.stringValue == "long" ? "--" : "-") + text))\\fR"
        }
        // Short ones first, as in manuals of others.
        let sorted = names.filter { !$0.hasPrefix("\\fB\\-\\-") } + names.filter { $0.hasPrefix("\\fB\\-\\-") }
        var heading = sorted.joined(separator: ", ")
        switch option["kind"]?.stringValue {
        case "positional": heading = value
        case "option": heading += " \(value)"
        default: break
        }
        var text = option["abstract"]?.stringValue ?? ""
        if let fallback = option["defaultValue"]?.stringValue { text += " The default is \(fallback)." }
        return [".TP", heading, Roff.text(text)]
    }

    // MARK: Sections

    /// The lines before the first title, and the sections with their titles: lines in capitals that end with a colon.
    private static func sections(
        of discussion: String
    ) -> (description: [Substring], rest: [(title: String, lines: [Substring])]) {
        var description: [Substring] = []
        var rest: [(title: String, lines: [Substring])] = []
        for line in discussion.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasSuffix(":"), line == line.uppercased() {
                rest.append((String(line.dropLast()), []))
            } else if rest.isEmpty {
                description.append(line)
            } else {
                rest[rest.count - 1].lines.append(line)
            }
        }
        return (description, rest)
    }
}
