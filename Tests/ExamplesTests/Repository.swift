import Foundation
import TestSupport

/// The files of the repository: documents, examples and scripts.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL.path

    /// The text of a file by its path from the root.
    static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Where the command of the authors' guide leaves the plugin in Swift.
    static let userAgentPlugin = "\(root)/.build-example/release/libuser-agent.so"

    /// Whether it is there, or has to be.
    static let hasUserAgentPlugin = Strictness.isSet || exists(userAgentPlugin)

    /// Runs a program at the root, which must succeed, off the tasks' threads, and returns what it printed.
    @discardableResult static func output(of arguments: [String]) async throws -> String {
        let outcome = try await ProcessRunner.running(arguments, folder: root)
        guard outcome.status == 0 else {
            throw ProcessError.failed(arguments.joined(separator: " "), outcome.status, outcome.stderr)
        }
        return outcome.stdout
    }

    /// Builds the plugin in C by the command of the authors' guide, and returns its path.
    static func buildStamp(in folder: TemporaryFolder) async throws -> String {
        let page = try Document(Pages.guide)
        guard let command = page.commands.first(where: { $0.hasPrefix("cc ") }) else {
            throw ProcessError.failed("cc", 0, "\(Pages.guide) has no such command")
        }
        let path = folder.file("plugins/stamp.so")
        try FileManager.default.createDirectory(atPath: folder.file("plugins"), withIntermediateDirectories: true)
        try await output(of: ["/bin/sh", "-c", command.replacing("-o stamp.so", with: "-o '\(path)'")])
        // For any umask: the loader refuses files that other users may write.
        chmod(folder.file("plugins"), 0o755)
        chmod(path, 0o755)
        return path
    }
}
