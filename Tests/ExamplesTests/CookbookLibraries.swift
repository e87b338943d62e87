import Foundation
import TestSupport
import Testing

/// A language that the cookbook has plugins in.
enum CookbookLanguage: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case swift, c, cpp, rust

    /// Those that this machine has a compiler for; all but Rust are required.
    static let available = allCases.filter { $0 != .rust || hasRust }
    /// Those whose plugins are files of their own.
    static let loaded = available.filter { $0 != .swift }

    static let hasRust = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/rustc")
    }

    var testDescription: String { rawValue }

    /// Where its plugins lie, from the root.
    var folder: String {
        switch self {
        case .swift: "Examples/Cookbook"
        case .c: "Examples/Cookbook/C"
        case .cpp: "Examples/Cookbook/Cpp"
        case .rust: "Examples/Cookbook/Rust"
        }
    }

    var suffix: String { self == .rust ? "rs" : rawValue }
}

/// The plugins of the cookbook in C, C++ and Rust, each compiled once, with warnings as errors.
actor CookbookLibraries {
    static let shared = CookbookLibraries()

    private static let sdk = "\(Repository.root)/SDK"
    private static let headers = ["-I", "\(sdk)/include"]
    private static let sharedObject = [
        "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-z,defs", "-Wl,-z,now",
    ]

    private var folder: TemporaryFolder?
    private var building: [String: Task<String, any Error>] = [:]

    /// The path of the shared object that is built from a source.
    func library(_ name: String, _ language: CookbookLanguage) async throws -> String {
        let key = "\(name).\(language.suffix)"
        if let task = building[key] { return try await task.value }
        let folder = try folder ?? TemporaryFolder("cookbook")
        self.folder = folder
        let task = Task { try await CookbookLibraries.build(name, language, in: folder) }
        building[key] = task
        return try await task.value
    }

    private static func build(
        _ name: String, _ language: CookbookLanguage, in folder: TemporaryFolder
    ) async throws -> String {
        let source = "\(Repository.root)/\(language.folder)/\(name).\(language.suffix)"
        let library = folder.file("\(name)-\(language.rawValue).so")
        switch language {
        case .rust:
            // Beside `plugboard.rs`, as in a crate.
            let crate = "\(name)-crate"
            try folder.write("\(crate)/lib.rs", String(contentsOfFile: source, encoding: .utf8))
            try folder.write(
                "\(crate)/plugboard.rs", String(contentsOfFile: "\(sdk)/share/plugboard/plugboard.rs", encoding: .utf8))
            try await Repository.output(of: [
                "rustc", "--edition", "2021", "-O", "-D", "warnings", "--crate-type", "cdylib", "--crate-name", name,
                folder.file("\(crate)/lib.rs"), "-o", library,
            ])
        case .cpp:
            try await Repository.output(of: ["c++", "-std=c++17"] + sharedObject + headers + [source, "-o", library])
        default:
            try await Repository.output(of: ["cc", "-std=c11"] + sharedObject + headers + [source, "-o", library])
        }
        // For any umask: the loader refuses files that other users may write.
        chmod(folder.path, 0o755)
        chmod(library, 0o755)
        return library
    }
}
