/// Words of `plugboard download` in aria2's and wget's spellings that mean something else for curl. What follows
/// decides:
///
/// - `-x 4` and `-x4`: a number is aria2's, the connections of a file; else it is the proxy.
/// - `-s 4` and `-s4`: a number is aria2's, the parts of a file; else `-s` prints only errors.
/// - `-k 1M` and `-k1M`: a size is aria2's, the least size of a part; else `-k` accepts any certificate.
/// - `-c` before a URL, before another option or at the end continues a download; else it is the file of cookies.
/// - `-O FILE URL` and `-O-` are wget's, and refused; else `-O` is curl's and names the file as the URL does.
/// - `--continue=true`, `=false`: aria2's options that are on or off take a value.
enum DownloadWords {
    private static let connections = "--max-connection-per-server"
    /// An option that the verb does not have: the error says what to do.
    private static let leastSize = "--min-split-size"
    private static let flags = ["--continue", "--allow-overwrite", "--auto-file-renaming"]

    /// The words in spellings of `download` alone.
    static func rewritten(_ words: [String]) throws(CommandFailure) -> [String] {
        guard words.first == "download" else { return words }
        var rewritten: [String] = []
        var isValue = false
        for (index, word) in words.enumerated() {
            let next = index + 1 < words.count ? words[index + 1] : nil
            if word == "--" { return rewritten + words[index...] }
            switch word {
            case _ where isValue: rewritten.append(word)
            case "-x" where next.map(isNumber) ?? false: rewritten.append(connections)
            case "-s" where next.map(isNumber) ?? false: rewritten.append("--split")
            case "-k" where next.map(isSize) ?? false: rewritten.append(leastSize)
            case "-c" where next.map { $0.hasPrefix("-") && $0 != "-" || $0.contains("://") } ?? true:
                rewritten.append("--continue")
            case _ where word.hasSuffix("-") && isRemoteName(word.dropLast()),
                _ where isRemoteName(word) && isFile(next, before: words.dropFirst(index + 2)):
                throw CommandFailure(
                    .usage,
                    "-O of download takes no file: it names the file as the URL does. Write -o FILE, or plugboard get URL for "
                        + "standard output.")
            case let word where word.hasPrefix("-x") && isNumber(word.dropFirst(2)):
                rewritten += [connections, String(word.dropFirst(2))]
            case let word where word.hasPrefix("-s") && isNumber(word.dropFirst(2)):
                rewritten += ["--split", String(word.dropFirst(2))]
            case let word where word.hasPrefix("-k") && isSize(word.dropFirst(2)):
                rewritten += [leastSize, String(word.dropFirst(2))]
            case let word where word.count > 2 && word.first == "-" && letters.contains(word.dropFirst().first ?? "-"):
                rewritten += [String(word.prefix(2)), String(word.dropFirst(2))]
            default:
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                if parts.count == 2, flags.contains(parts[0]), ["true", "false"].contains(parts[1]) {
                    if parts[1] == "true" { rewritten.append(parts[0]) }
                } else {
                    rewritten.append(word)
                }
            }
            isValue = !isValue && valued.contains(word)
        }
        return rewritten
    }

    /// Options whose value could be taken for one of these words.
    private static let valued: Set<String> = [
        "-o", "--output", "-H", "--header", "-A", "--user-agent", "-e", "-u", "-b",
    ]

    /// Short options of `download` alone whose value may stand in the same word.
    static let letters: Set<Character> = ["j", "i", "P", "t", "M"]

    /// Whether the word ends with curl's `-O`, perhaps after other flags.
    private static func isRemoteName(_ word: some StringProtocol) -> Bool {
        word.first == "-" && word.last == "O"
            && word.dropFirst().dropLast().allSatisfy { !(CurlOption.short($0)?.takesValue ?? true) }
    }

    /// Whether the word after `-O` is wget's file, because a URL comes after it.
    private static func isFile(_ word: String?, before rest: ArraySlice<String>) -> Bool {
        guard let word, word == "-" || !word.hasPrefix("-"), !word.contains("://") else { return false }
        return rest.first.map { !$0.hasPrefix("-") } ?? false || rest.contains { $0.contains("://") }
    }

    /// A number, perhaps with aria2's unit.
    private static func isSize(_ text: some StringProtocol) -> Bool {
        isNumber(text) || text.last.map { "kKmM".contains($0) } ?? false && isNumber(text.dropLast())
    }

    private static func isNumber(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
