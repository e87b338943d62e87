import PlugboardJSON
import TestSupport

/// The sources that the tests compile: manifests and targets of packages, and files in C that tests hand to the
/// compiler.
struct CompiledFiles {
    private struct Target {
        let folder: String
        let excluded: [String]
    }

    private let targets: [Target]
    private let files: Set<String>

    /// - Parameters:
    ///   - packages: Their folders from the root, "" being the root itself.
    ///   - files: Further ones, by their paths from the root.
    init(of packages: [String], and files: [String]) async throws {
        var targets: [Target] = []
        var manifests: Set<String> = []
        for package in packages {
            let folder = try TemporaryFolder()
            let dump = try await Repository.output(of: [
                "swift", "package", "--package-path", "\(Repository.root)/\(package)", "--scratch-path", folder.path,
                "dump-package",
            ])
            manifests.insert(package.isEmpty ? "Package.swift" : "\(package)/Package.swift")
            let found = try JSONParser.parse(dump)["targets"]?.arrayValue ?? []
            targets += found.compactMap { CompiledFiles.target($0, package.isEmpty ? "" : "\(package)/") }
        }
        self.targets = targets
        self.files = manifests.union(files)
    }

    private static func target(_ target: JSONValue, _ package: String) -> Target? {
        guard let name = target["name"]?.stringValue, target["type"] != "system" else { return nil }
        let usual = target["type"] == "test" ? "Tests/\(name)" : "Sources/\(name)"
        let folder = "\(package)\(target["path"]?.stringValue ?? usual)/"
        let excluded = target["exclude"]?.arrayValue?.compactMap(\.stringValue) ?? []
        return Target(folder: folder, excluded: excluded.map { "\(folder)\($0)" })
    }

    func contains(_ file: String) -> Bool {
        files.contains(file)
            || targets.contains { target in
                file.hasPrefix(target.folder) && !target.excluded.contains { file == $0 || file.hasPrefix("\($0)/") }
            }
    }
}
