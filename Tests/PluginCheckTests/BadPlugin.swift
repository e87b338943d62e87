import Foundation
import PlugboardJSON
import PluginCheck
import TestSupport
import Testing

/// Builds the plugins of `Tests/Fixtures/BadPlugins`, each of which breaks one rule, and checks them with the command.
enum BadPlugin {
    /// The output of the command for a plugin.
    struct Verdict {
        let status: Int32
        let output: String
        let errors: String

        /// The results of `--json`, by the check's name.
        var results: [String: CheckResult] {
            guard let checks = try? JSONParser.parse(output)["checks"]?.arrayValue else { return [:] }
            let results = checks.compactMap { check -> CheckResult? in
                guard let name = check["check"]?.stringValue, let reason = check["reason"]?.stringValue,
                    let status = check["status"]?.stringValue.flatMap({ CheckResult.Status(rawValue: $0) })
                else { return nil }
                return CheckResult(name, status, reason)
            }
            return Dictionary(results.map { ($0.check, $0) }) { first, _ in first }
        }
    }

    /// Compiles `NAME.c` as an author would. The file exists as long as the folder.
    static func build(_ name: String, in folder: TemporaryFolder) async throws -> String {
        let path = folder.file("\(name).so")
        let outcome = try await ProcessRunner.running([
            "cc", "-std=c11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-O2",
            "-fPIC",
            "-shared", "-fvisibility=hidden", "-pthread", "-I",
            root.appendingPathComponent("Sources/CPlugboard/include").path,
            try source(name), "-o", path,
        ])
        guard outcome.status == 0 else { throw ProcessError.failed("cc \(name).c", outcome.status, outcome.stderr) }
        // Independent of the umask of the tests.
        chmod(path, 0o755)
        return path
    }

    /// Runs `plugboard plugins check` on a file.
    static func check(_ path: String, _ arguments: String...) async throws -> Verdict {
        try await check(path, arguments)
    }

    static func check(_ path: String, _ arguments: [String]) async throws -> Verdict {
        await permits.take()
        defer { permits.release() }
        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "check", path] + arguments, environment: unsanitized,
            timeout: .seconds(300))
        return Verdict(status: outcome.status, output: outcome.stdout, errors: outcome.stderr)
    }

    /// A plugin that crashes ends its process by the signal, also under the address sanitizer, which would report it
    /// and exit.
    private static var unsanitized: [String: String] {
        guard Sanitizer.present == .address else { return [:] }
        let options = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] ?? ""
        return ["ASAN_OPTIONS": "\(options) handle_segv=0 handle_abort=0 detect_leaks=0"]
    }

    /// A few at a time: if all ran at once, each would exceed its time limits.
    private static let permits = Permits(4)

    private static func source(_ name: String) throws -> String {
        let candidates = [sources, otherSources].map { "\($0)/\(name).c" }
        return try #require(candidates.first { FileManager.default.fileExists(atPath: $0) }, "no source of \(name)")
    }

    /// Plugins that break no rule.
    private static let otherSources = root.appendingPathComponent("Tests/Fixtures/CheckedPlugins").path
    static let sources = root.appendingPathComponent("Tests/Fixtures/BadPlugins").path
    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL
}
