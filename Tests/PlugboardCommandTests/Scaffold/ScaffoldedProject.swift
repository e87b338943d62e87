import Foundation
import TestSupport
import Testing

/// A project that `plugboard plugins new` has written into a fresh folder.
struct ScaffoldedProject {
    static let languages = ["c", "c++", "rust"]

    let language: String
    let path: String
    private let folder: TemporaryFolder

    init(_ name: String, language: String, options: [String] = []) async throws {
        self.language = language
        folder = try TemporaryFolder("scaffold")
        path = folder.file("project")
        let outcome = try await ProcessRunner.running(
            [
                Products.executable("plugboard"), "plugins", "new", name, "--language", language, "--directory", path,
            ] + options)
        try #require(outcome.status == 0, "\(outcome.stderr)")
    }

    /// Whether there is what builds this language, or has to be.
    static func canBuild(_ language: String) -> Bool {
        Strictness.isSet && language != "rust" || has(tools(language))
    }

    private static func tools(_ language: String) -> [String] {
        switch language {
        case "c": ["make", "cc"]
        case "c++": ["make", "c++", "cc"]
        default: ["cargo", "rustc"]
        }
    }

    private static func has(_ programs: [String]) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return programs.allSatisfy { program in
            folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
    }

    /// The paths of all files, from the project's folder, sorted.
    func files() throws -> [String] {
        let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        var isFolder: ObjCBool = false
        return all.filter {
            FileManager.default.fileExists(atPath: file($0), isDirectory: &isFolder) && !isFolder.boolValue
        }
        .sorted()
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }
    func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }

    /// The commands of its README, in order: building, testing.
    func commands() throws -> [String] {
        try text("README.md").split(separator: "\n").filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4).description }
    }

    /// Runs one of them in the project's folder, as an author would; the command `plugboard` is the one under test.
    func run(_ command: String, environment: [String: String] = [:]) async throws -> ProcessRunner.Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let own = ["PATH": "\(Products.folder):\(path)", "CARGO_NET_OFFLINE": "true", "RUST_BACKTRACE": "0"]
        // For any umask: the loader refuses files that other users may write.
        return try await ProcessRunner.running(
            ["/bin/sh", "-c", "umask 022; \(command)"], environment: own.merging(environment) { _, new in new },
            folder: self.path)
    }

    /// Builds it with its one command, and returns the path of the shared object.
    func build(environment: [String: String] = [:]) async throws -> String {
        let outcome = try await run(try #require(commands().first), environment: environment)
        try #require(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        #expect(!outcome.stderr.contains("warning"), "\(outcome.stderr)")
        let configuration = try text("plugboard.json")
        return file(String(try #require(configuration.firstMatch(of: /"path": "([^"]+)"/)).1))
    }
}
