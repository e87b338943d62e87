import PlugboardCore
import PlugboardSystem

/// Texts about errors for people, by language and code, and other texts by name, such as those of indicators.
///
///     let messages = MessageCatalog(
///         [
///             "en": ["timeout": "The server takes too long.", "*": "That did not work."],
///             "de": ["timeout": "Der Server braucht zu lange.", "*": "Das hat nicht geklappt."],
///         ], fallback: "en")
///     messages.message(for: error)
///
/// A code finds the text of its own name, otherwise that of its longest prefix before a dot (`timeout` for
/// `timeout.idle`), otherwise that of `*`. The first of the user's languages with such a text is used, each with its
/// region first (`de-AT`, then `de`); then the fallback language. Without a text the message is the reason.
///
/// In a text, `{code}`, `{reason}` and `{status}` are replaced by these parts of the error.
public struct MessageCatalog: Sendable {
    /// The user's languages, the best first.
    public var languages: [String]
    /// The language of texts that are missing in the user's languages; nil for none.
    public var fallback: String?
    /// Texts by language, in lower case with hyphens, and by the name of a code.
    private var texts: [String: [String: String]] = [:]

    /// Creates a catalog.
    ///
    /// - Parameters:
    ///   - texts: Texts by language (`de`, `de-AT`), and by code or prefix of codes.
    ///   - languages: The user's, the best first; nil for those of the environment: `LANGUAGE`, or else the first of
    ///     `LC_ALL`, `LC_MESSAGES` and `LANG`.
    ///   - fallback: The language of texts that are missing in the others.
    public init(
        _ texts: [String: [String: String]] = [:], languages: [String]? = nil, fallback: String? = nil
    ) {
        self.languages = languages ?? MessageCatalog.environmentLanguages
        self.fallback = fallback
        for (language, entries) in texts { add(entries, for: language) }
    }

    /// Adds texts of one language, by code. They replace existing texts.
    public mutating func add(_ entries: [String: String], for language: String) {
        texts[MessageCatalog.normal(language), default: [:]].merge(entries) { $1 }
    }

    /// The text about an error.
    ///
    /// - Parameter languages: Nil for those of the catalog.
    public func message(for error: PlugboardError, languages: [String]? = nil) -> String {
        guard let text = text(error.code.name, languages, else: "*") else { return error.reason }
        return MessageCatalog.filled(text, error)
    }

    /// The text with a name, such as that of an indicator's message. It is found like that of a code, but without `*`;
    /// nil if there is none.
    ///
    ///     RequestAdapter { request, _ in request.indicator.message = messages.text("indicator.topics") }
    ///
    /// - Parameter languages: Nil for those of the catalog.
    public func text(_ name: String, languages: [String]? = nil) -> String? { text(name, languages, else: nil) }

    private func text(_ name: String, _ languages: [String]?, else other: String?) -> String? {
        guard !texts.isEmpty else { return nil }
        for language in (languages ?? self.languages) + (fallback.map { [$0] } ?? []) {
            var language = MessageCatalog.normal(language)[...]
            while !language.isEmpty {
                if let entries = texts[String(language)],
                    let text = MessageCatalog.text(name, in: entries) ?? other.flatMap({ entries[$0] })
                {
                    return text
                }
                language = MessageCatalog.shortened(language, before: UInt8(ascii: "-"))
            }
        }
        return nil
    }

    private static func text(_ name: String, in texts: [String: String]) -> String? {
        var name = name[...]
        while !name.isEmpty {
            if let text = texts[String(name)] { return text }
            name = shortened(name, before: UInt8(ascii: "."))
        }
        return nil
    }

    /// The part before the last of these bytes; empty if there is none.
    private static func shortened(_ text: Substring, before byte: UInt8) -> Substring {
        guard let index = text.utf8.lastIndex(of: byte) else { return "" }
        return text[..<index]
    }

    /// Replaces placeholders in one pass, so that braces in a reason are not read as placeholders.
    private static func filled(_ text: String, _ error: PlugboardError) -> String {
        var filled = ""
        var rest = text[...]
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")) {
            filled += rest[..<open]
            rest = rest[open...]
            guard let close = rest.utf8.firstIndex(of: UInt8(ascii: "}")) else { break }
            switch rest[...close] {
            case "{code}": filled += error.code.name
            case "{reason}": filled += error.reason
            case "{status}": filled += error.response.map { "\($0.status)" } ?? ""
            case let other: filled += other
            }
            rest = rest[rest.utf8.index(after: close)...]
        }
        return filled + rest
    }

    /// The language in lower case with hyphens: `de-at` for `de_AT.UTF-8@euro`.
    private static func normal(_ language: String) -> String {
        let end = language.utf8.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "@") }
        let name = language[..<(end ?? language.endIndex)].lowercased()
        return String(decoding: name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
    }

    private static var environmentLanguages: [String] {
        func value(_ name: String) -> String? {
            guard let value = getenv(name), value.pointee != 0 else { return nil }
            return String(cString: value)
        }
        let chosen = value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG")
        // POSIX: the locale C has no languages.
        let locale = chosen.map(normal)
        guard let locale, locale != "c", locale != "posix" else { return [] }
        return value("LANGUAGE")?.split(separator: ":").map { normal(String($0)) } ?? [locale]
    }
}
