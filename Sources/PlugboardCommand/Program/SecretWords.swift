import PlugboardSystem

/// The passwords and tokens of the command line, which other users of the machine see in the list of processes.
enum SecretWords {
    /// The options whose values are secret, by curl's names; of `cert`, only what follows the colon.
    private static let names: Set<String> = ["user", "proxy-user", "oauth2-bearer", "pass", "cert"]

    /// Overwrites them in the memory of the process with the letter x. The words must have been read before, as valid
    /// UTF-8.
    ///
    /// - Parameter verb: The first word after the name of the program, or curl.
    static func overwrite(verb: String) {
        // The option whose value is the next word.
        var pending: String?
        for index in 1..<max(Int(CommandLine.argc), 1) {
            guard let word = CommandLine.unsafeArgv[index] else { continue }
            let text = String(cString: word)
            if let name = pending {
                overwrite(word, text, from: 0, of: name)
                pending = nil
            } else if text == "--" {
                return
            } else if let (name, start) = option(in: text, of: verb) {
                if let start { overwrite(word, text, from: start, of: name) } else { pending = name }
            }
        }
    }

    /// The option of a word that has a value, and where that begins in the word, in bytes; nil if it is the next word.
    private static func option(in text: String, of verb: String) -> (name: String, start: Int?)? {
        if text.hasPrefix("--") {
            let name = text.prefix { $0 != "=" }
            let option = named(String(name.dropFirst(2)), verb)
            guard option?.takesValue ?? RequestWords.valued.contains(name) else { return nil }
            return (option?.name ?? String(name), name == text ? nil : name.utf8.count + 1)
        }
        guard text.hasPrefix("-") else { return nil }
        var letters = text.dropFirst()
        if verb == "download", letters.first.map(DownloadWords.letters.contains) ?? false { return nil }
        while let letter = letters.popFirst() {
            guard let option = CurlOption.short(letter), option.takesValue else { continue }
            return (option.name, letters.isEmpty ? nil : text.utf8.count - letters.utf8.count)
        }
        return nil
    }

    private static func named(_ name: String, _ verb: String) -> CurlOption? {
        verb == "curl" ? (try? CurlOption.long(name)) ?? nil : CurlOption.named(name)
    }

    private static func overwrite(_ word: UnsafeMutablePointer<CChar>, _ text: String, from start: Int, of name: String)
    {
        guard names.contains(name) else { return }
        var start = start
        let value = text.utf8.dropFirst(start)
        if name == "cert" { start += value.prefix { $0 != UInt8(ascii: ":") }.count + 1 }
        if start < text.utf8.count { memset(word + start, Int32(UInt8(ascii: "x")), text.utf8.count - start) }
    }
}
