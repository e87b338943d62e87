import ArgumentParser
import PlugboardCore
import PlugboardEndpoints
import PlugboardJSON
import PlugboardYAML

/// Completions that come from the definitions that the line names.
enum DefinitionCompletion {
    /// The names of definitions.
    static let names = CompletionKind.custom { words, index, _ in
        let word = words.indices.contains(index) ? words[index] : ""
        return definitions(in: words).names.filter { $0.hasPrefix(word) }
    }

    /// The parameters of the definition whose name stands on the line, each with its `=`; behind it, the values that
    /// the definition lists.
    static let parameters = CompletionKind.custom { words, index, _ in
        let definitions = definitions(in: words)
        guard let definition = words.lazy.compactMap({ definitions[$0] }).first else { return [] }
        let word = words.indices.contains(index) ? words[index] : ""
        // bash divides words at the equals sign.
        if index >= 2, words.indices.contains(index - 1), words[index - 1] == "=" {
            return values(of: definition.parameter(words[index - 2])).filter { $0.hasPrefix(word) }
        }
        if let parameter = definition.parameters.first(where: { word.hasPrefix("\($0.name)=") }) {
            return values(of: parameter).map { "\(parameter.name)=\($0)" }.filter { $0.hasPrefix(word) }
        }
        return definition.parameters.map { "\($0.name)=" }.filter { $0.hasPrefix(word) }
    }

    private static func values(of parameter: DefinedParameter?) -> [String] {
        guard let parameter else { return [] }
        if parameter.kind == .boolean { return ["true", "false"] }
        return parameter.values.map { $0.stringValue ?? $0.description }
    }

    /// Nothing is fetched for a completion, and errors complete nothing.
    private static func definitions(in words: [String]) -> Definitions {
        if let path = value(of: "--openapi", in: words) {
            return Definitions.check(file: path, formats: [.yaml]).definitions ?? Definitions()
        }
        let found = words.contains("--no-config") ? nil : try? FoundConfiguration.current?.usablePath()
        guard let path = value(of: "--config", in: words) ?? found,
            let configuration = Configuration.check(file: path, sections: PluginArguments.sections).readable
        else { return Definitions() }
        return Definitions.check(configuration).definitions ?? Definitions()
    }

    private static func value(of option: String, in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == option, index + 1 < words.count {
                // bash divides `--option=file` into three words.
                let isDivided = words[index + 1] == "=" && index + 2 < words.count
                return words[index + (isDivided ? 2 : 1)]
            }
            if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
        }
        return nil
    }
}
