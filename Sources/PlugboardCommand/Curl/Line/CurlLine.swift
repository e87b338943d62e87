import PlugboardKit

/// A command line of curl, read with curl's rules: options and URLs in any order, joined short options, and long
/// options that are abbreviated or begin with `--no-`.
struct CurlLine: OptionReader {
    /// What the line asks for instead of transfers.
    enum Question { case help, version }

    private(set) var groups = [CurlGroup()]
    private(set) var question: Question?
    static let isOfCurl = true
    var depth = 0

    init(_ words: [String]) throws(CommandFailure) {
        try read(words)
        if groups.count > 1, groups[groups.count - 1].isEmpty { groups.removeLast() }
        shareFlags()
        if question == nil, groups.contains(where: { $0.urls.isEmpty }) {
            throw CommandFailure(
                .usage,
                groups.count == 1
                    ? "curl: no URL is given. See plugboard curl --help."
                    : "curl: no URL is given before or after --next.")
        }
    }

    /// Gives all groups the flags that count for all of them, wherever they stand.
    private mutating func shareFlags() {
        for flag in ["silent", "show-error", "fail-early"] where groups.contains(where: { $0[flag] }) {
            for index in groups.indices { groups[index].flags[flag] = true }
        }
        guard groups.contains(where: { $0.words.contains("--verbose") }) else { return }
        for index in groups.indices where !groups[index].isTraced && !groups[index].words.contains("--verbose") {
            groups[index].words.append("--verbose")
        }
    }

    // MARK: Words

    mutating func takeOperand(_ word: String) { groups[groups.count - 1].urls.append(word) }

    mutating func takeOperands(_ words: ArraySlice<String>) { groups[groups.count - 1].urls += words }

    mutating func takeShort(_ letter: Character, value: String?) throws(CommandFailure) {
        guard let option = CurlOption.short(letter) else { throw CurlLine.unknown("-\(letter)", nil) }
        if option.takesValue, value == nil { throw CurlLine.missing(option) }
        try take(option, isOn: true, value: value)
    }

    mutating func takeLong(_ word: String, _ rest: inout ArraySlice<String>) throws(CommandFailure) {
        let word = word.dropFirst(2)
        if let option = try CurlOption.long(String(word)) {
            let value = option.takesValue ? rest.popFirst() : nil
            if option.takesValue, value == nil { throw CurlLine.missing(option) }
            return try take(option, isOn: true, value: value)
        }
        if word.hasPrefix("no-"), let option = try CurlOption.long(String(word.dropFirst(3))) {
            guard !option.takesValue else {
                throw CommandFailure(.usage, "curl: --\(option.name) takes a value and cannot be switched off.")
            }
            return try take(option, isOn: false, value: nil)
        }
        // What follows an equals sign may be a secret.
        let name = String(word.prefix { $0 != "=" })
        if name != word, let option = try CurlOption.long(name) {
            throw CommandFailure(
                .usage, "curl: option --\(option.name) has no value after =: write it in the next word.")
        }
        throw CurlLine.unknown("--\(name)", CurlOption.nearest(to: name))
    }

    private static func missing(_ option: CurlOption) -> CommandFailure {
        CommandFailure(.usage, "curl: option --\(option.name) needs a value.")
    }

    private static func unknown(_ option: String, _ near: String?) -> CommandFailure {
        let advice = near.map { " Did you mean --\($0)?" } ?? ""
        return CommandFailure(
            .usage, "curl: option \(Printable.text(option)) is unknown.\(advice) See plugboard curl --help.")
    }

    // MARK: Options

    private mutating func take(_ option: CurlOption, isOn: Bool, value: String?) throws(CommandFailure) {
        let last = groups.count - 1
        if ["trace", "trace-ascii", "verbose"].contains(option.name) { groups[last].removeTraces() }
        switch option.effect {
        case .passed:
            if let value {
                // The parser takes a value that begins with a hyphen only behind =, and an empty one only as a word.
                groups[last].words += value.isEmpty ? ["--\(option.name)", ""] : ["--\(option.name)=\(value)"]
            } else {
                groups[last].words.removeAll { $0 == "--\(option.name)" }
                if isOn { groups[last].words.append("--\(option.name)") }
            }
        case .kept:
            if let value { groups[last].values[option.name] = value } else { groups[last].flags[option.name] = isOn }
        case .placed: try place(option.name, value ?? "", isOn)
        case .accepted: break
        // To switch off an option that does not exist here changes nothing.
        case .refused where !isOn: break
        case .refused(let reason):
            throw CommandFailure(.usage, "curl: option --\(option.name) cannot be used. \(reason)")
        case .refusedWithTLS: groups[last].withoutTLS.append(option.name)
        case .refusedWithProxy: groups[last].withoutProxy.append(option.name)
        }
    }

    private mutating func place(_ name: String, _ value: String, _ isOn: Bool) throws(CommandFailure) {
        let last = groups.count - 1
        switch name {
        case "next": groups.append(CurlGroup())
        case "help": question = .help
        case "version": question = .version
        case "config": try readFile(value)
        case "header":
            // curl ignores what is no field.
            if value.hasPrefix("@") || value.contains(":") || value.hasSuffix(";") { groups[last].fields.append(value) }
        case "output":
            if value.isEmpty { throw CommandFailure(.usage, "curl: option --output needs the name of a file.") }
            groups[last].outputs.append(.file(value))
        case "remote-name": if isOn { groups[last].outputs.append(.remoteName) }
        case "upload-file": groups[last].uploads.append(value)
        case "url": groups[last].urls.append(value)
        case "url-query": groups[last].queries.append(value)
        default:
            if let kind = CurlGroup.DataKind(rawValue: name) { groups[last].data.append((kind, value)) }
        }
    }
}
