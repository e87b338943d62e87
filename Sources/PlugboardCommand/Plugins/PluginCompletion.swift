import ArgumentParser
import Plugboard
import PlugboardKit
import PlugboardSystem

/// Completions of the linked plugins' ids, settings and attributes.
enum PluginCompletion {
    /// The ids of linked plugins; behind a slash, paths of files.
    static let plugins = CompletionKind.custom { words, index, _ in
        let word = words.indices.contains(index) ? words[index] : ""
        return word.contains("/") ? paths(word) : Catalog.bundled.ids.filter { $0.hasPrefix(word) }
    }

    /// `plugin.key=` for each setting, and its values where they are known.
    static let settings = options { $0.settings }
    /// `plugin.name=` for each attribute, and its values where they are known.
    static let attributes = options { $0.attributes }

    private static func options(
        _ options: @escaping @Sendable (PluginDescriptor) -> [OptionDefinition]
    ) -> CompletionKind {
        .custom { words, index, _ in
            let word = words.indices.contains(index) ? words[index] : ""
            let all = Catalog.bundled.ids.compactMap { Catalog.bundled.descriptor($0) }.flatMap { descriptor in
                options(descriptor).map { (name: "\(descriptor.id).\($0.name)", values: values(of: $0)) }
            }
            // bash divides words at the equals sign.
            let isDivided = index >= 2 && words.indices.contains(index) && words[index - 1] == "="
            if isDivided, let option = all.first(where: { $0.name == words[index - 2] }) {
                return option.values.filter { $0.hasPrefix(word) }
            }
            if let option = all.first(where: { word.hasPrefix("\($0.name)=") }) {
                return option.values.map { "\(option.name)=\($0)" }.filter { $0.hasPrefix(word) }
            }
            return all.map { "\($0.name)=" }.filter { $0.hasPrefix(word) }
        }
    }

    private static func values(of option: OptionDefinition) -> [String] {
        option.kind == .bool ? ["true", "false"] : option.choices
    }

    private static func paths(_ word: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        let pattern = word.flatMap { "\\*?[".contains($0) ? ["\\", $0] : [$0] } + "*"
        guard glob(String(pattern), GLOB_MARK, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }
}
