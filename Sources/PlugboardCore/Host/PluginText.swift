import CPlugboard
import PlugboardBorder

// Texts of plugins are printed in logs and on terminals; these functions make them safe for that.

extension plug_text {
    /// A copy in the form of `Printable`, so that it can neither control a terminal nor imitate lines of a log. White
    /// space at its end is removed.
    var words: String { Printable.text(String(trimmed)) }

    /// A copy for the log, where a text may have several lines: all but the first are indented, so that they cannot
    /// imitate lines of others.
    var lines: String {
        var lines = ""
        for (index, line) in trimmed.split(separator: Character("\n"), omittingEmptySubsequences: false).enumerated() {
            if index > 0 { lines += line.hasPrefix(indentation) ? "\n" : Printable.text("\n") }
            lines += Printable.text(String(line))
        }
        return lines
    }

    private var trimmed: Substring {
        let text = string
        guard text.last?.isWhitespace == true else { return text[...] }
        return text.lastIndex { !$0.isWhitespace }.map { text[...$0] } ?? ""
    }

    /// `words` without a full stop, for the middle of a sentence.
    var clause: String {
        let words = words
        // An ellipsis of the plugin is kept.
        return words.hasSuffix(".") && !words.hasSuffix("..") ? String(words.dropLast()) : words
    }
}

/// A copy of a text that is never released.
///
/// Sendable because its memory never changes.
struct ImmortalText: @unchecked Sendable {
    let text: plug_text

    init(_ text: String) { self.text = plug_text(immortal: text) }
}

private let indentation = "    "

extension PlugboardError {
    /// An error with a plugin's code and reason. A code that is malformed becomes `plugin.failed`.
    init(_ code: plug_text, _ reason: plug_text, plugin: String) {
        let words = reason.words
        self.init(
            Code(saidBy: code), words.isEmpty ? "The plugin \(plugin) gave no reason." : words, plugin: plugin)
    }
}

extension PlugboardError.Code {
    fileprivate init(saidBy code: plug_text) {
        let isCode = code.count > 0 && code.buffer.allSatisfy(PluginDescriptor.isWordByte)
        self = isCode ? Self(code.string) : .pluginFailed
    }
}
