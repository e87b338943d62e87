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

    /// The articles of the references.
    static let articles = ReferenceTests.modules.flatMap { module in
        files(in: "Sources/\(module)/\(module).docc", endingIn: ".md")
    }

    private static func files(in folder: String, endingIn suffix: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(Repository.root)/\(folder)")) ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
    }
}
