import ArgumentParser
import PlugboardCore
import PlugboardEndpoints

/// Completions that come from the definitions that the line names.
enum DefinitionCompletion {
    /// The names of definitions.
    static let names = CompletionKind.custom { words, _, prefix in
        definitions(in: words).names.filter { $0.hasPrefix(prefix) }
    }

    /// The parameters of the definition whose name stands on the line, each with its `=`.
    static let parameters = CompletionKind.custom { words, _, prefix in
        let definitions = definitions(in: words)
        guard let definition = words.lazy.compactMap({ definitions[$0] }).first else { return [] }
        let parameters = definition.parameters.filter { prefix.hasPrefix("\($0.name)=") }
        // Behind the equals sign, the values that the definition lists.
        if let parameter = parameters.first {
            return parameter.values.map { "\(parameter.name)=\($0.stringValue ?? $0.description)" }
                .filter { $0.hasPrefix(prefix) }
        }
        return definition.parameters.map { "\($0.name)=" }.filter { $0.hasPrefix(prefix) }
    }

    /// Nothing is fetched for a completion, and errors complete nothing.
    private static func definitions(in words: [String]) -> Definitions {
        if let path = value(of: "--openapi", in: words) { return Definitions.check(file: path).definitions ?? .init() }
        guard let path = value(of: "--config", in: words),
            let configuration = Configuration.check(file: path, sections: PluginArguments.sections).readable
        else { return Definitions() }
        return Definitions.check(configuration).definitions ?? .init()
    }

    private static func value(of option: String, in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
        }
        return nil
    }
}
