import CPlugboard
import PlugboardKit

// What plugins say ends in logs and on terminals: it comes in here, and is harmless from here on.

extension plug_text {
    /// A copy that is `printable`: a plugin's words neither steer a terminal nor forge lines of a log. Without the blanks
    /// and line ends that may stand at its end.
    var words: String { printable(String(trimmed)) }

    /// The same for the log, where a text may have further lines: those that are indented, and so cannot pass for others.
    var lines: String {
        var lines = ""
        for (index, line) in trimmed.split(separator: Character("\n"), omittingEmptySubsequences: false).enumerated() {
            if index > 0 { lines += line.hasPrefix(indentation) ? "\n" : printable("\n") }
            lines += printable(String(line))
        }
        return lines
    }

    private var trimmed: Substring {
        let text = string
        guard text.last?.isWhitespace == true else { return text[...] }
        return text.lastIndex { !$0.isWhitespace }.map { text[...$0] } ?? ""
    }

    /// The same as the end of a sentence whose full stop somebody else sets.
    var clause: String {
        let words = words
        // An ellipsis is the plugin's own.
        return words.hasSuffix(".") && !words.hasSuffix("..") ? String(words.dropLast()) : words
    }
}

private let indentation = "    "

extension PlugboardError {
    /// An error in a plugin's words. A code that is no code is `plugin.failed`.
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
