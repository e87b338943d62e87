import Foundation

/// The pages that a reader comes to, by their paths from the root.
enum Pages {
    static let readme = "README.md"
    /// What authors of plugins read.
    static let guide = "Documentation/writing-plugins.md"

    /// The pages in `Documentation`, by name.
    static let documentation = files(in: "Documentation", endingIn: ".md")

    /// What users of the command read.
    static let command = "Documentation/command.md"

    /// Those whose commands need no project of a plugin and no files of their own.
    static let ofReaders = ([readme] + documentation).filter { $0 != guide && $0 != command }

    static let all = Array(Set([readme, guide] + documentation)).sorted()

    /// All pages of the repository but the articles of the references and the templates of new plugins.
    static let everywhere: [String] = {
        let folders = ["Documentation", "Examples", "Plugins", "SDK", "Tests"]
        return files(in: "", endingIn: ".md")
            + folders.flatMap { folder in
                let root = URL(fileURLWithPath: "\(Repository.root)/\(folder)")
                // The folders of builds are hidden.
                let found = FileManager.default.enumerator(
                    at: root, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
                let paths = (found?.compactMap { ($0 as? URL)?.path } ?? []).filter { $0.hasSuffix(".md") }
                return paths.map { String($0.dropFirst(Repository.root.count + 1)) }.sorted()
            }
    }()

    /// The articles of the references.
    static let articles = ReferenceTests.modules.flatMap { module in
        files(in: "Sources/\(module)/\(module).docc", endingIn: ".md")
    }

    private static func files(in folder: String, endingIn suffix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/\(folder)")) ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
    }
}
