import PlugboardJSON

/// An option of curl, as its manual page describes it.
struct CurlOption: Sendable {
    /// What happens with the option.
    enum Effect: Sendable {
        /// It is passed to the option of the same name of the verbs that send.
        case passed
        /// The transfer reads it; the last one counts.
        case kept
        /// It is read where it stands on the command line.
        case placed
        /// It changes nothing that a user or a server can see here.
        case accepted
        /// It is an error, with this reason.
        case refused(String)
        /// It is an error where a URL or a redirect is https, and else it changes nothing.
        case refusedWithTLS
        /// It is an error where a proxy is given, and else it changes nothing.
        case refusedWithProxy
    }

    /// The long name, without hyphens.
    let name: String
    let letter: Character?
    let takesValue: Bool
    let effect: Effect

    /// - Parameter text: The long name, and after a blank the letter.
    init(_ text: String, takesValue: Bool, _ effect: Effect) {
        let parts = text.split(separator: " ")
        name = String(parts[0])
        letter = parts.count > 1 ? parts[1].first : nil
        self.takesValue = takesValue
        self.effect = effect
    }

    // MARK: Looking up

    private static let names = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    private static let letters: [Character: CurlOption] = Dictionary(
        uniqueKeysWithValues: all.compactMap { option in option.letter.map { ($0, option) } })

    /// The option with this letter.
    static func short(_ letter: Character) -> CurlOption? { letters[letter] }

    /// The option with exactly this long name.
    static func named(_ name: String) -> CurlOption? { names[name] }

    /// The option with this long name, or the only one whose name begins with it. Letters may be in any case.
    static func long(_ name: String) throws(CommandFailure) -> CurlOption? {
        let name = name.lowercased()
        if let option = names[name] { return option }
        guard !name.isEmpty else { return nil }
        let near = all.filter { $0.name.hasPrefix(name) }
        guard near.count <= 1 else {
            let list = near.prefix(5).map { "--\($0.name)" }.joined(separator: ", ")
            throw CommandFailure(.usage, "The option --\(name) is ambiguous: it can be \(list).")
        }
        return near.first
    }

    /// The most similar long name.
    static func nearest(to name: String) -> String? { Spelling.nearest(name, in: all.map(\.name)) }
}
