import Foundation
import Synchronization

/// Builds the plugins of `Tests/Fixtures/Plugins`, as a plugin author would: with the C compiler and `plugboard.h`.
package enum FixturePlugin {
    /// The path of a shared object made from `NAME.c` or `NAME.cpp`. The same arguments return the same file, which is
    /// built once in a process.
    ///
    /// `define` are macros, whose values are put in quotes. `options` are given to the compiler unchanged.
    package static func build(_ name: String, define macros: [String: String] = [:], options: [String] = []) throws
        -> String
    {
        try built.withLock { built in
            let definitions = macros.sorted { $0.key < $1.key }.map { "-D\($0.key)=\"\($0.value)\"" }
            let key = ([name] + definitions + options).joined(separator: "\n")
            if let path = built[key] { return path }
            let path = folder.file("\(name)-\(built.count).so")
            let isC = FileManager.default.fileExists(atPath: "\(sources)/\(name).c")
            try ProcessRunner.output(
                of: [
                    isC ? "cc" : "c++", isC ? "-std=c11" : "-std=c++17", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra",
                    "-Werror", "-Wno-unused-parameter",
                    "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", "-I", include,
                ] + definitions + options + ["\(sources)/\(name).\(isC ? "c" : "cpp")", "-o", path])
            // Independent of the umask of the process.
            chmod(path, 0o755)
            built[key] = path
            return path
        }
    }

    /// The bytes of a built plugin.
    package static func bytes(of name: String, options: [String] = []) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: try build(name, options: options))))
    }

    private static let built = Mutex<[String: String]>([:])
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let sources = tests.appendingPathComponent("Fixtures/Plugins").path
    private static let include = tests.deletingLastPathComponent().appendingPathComponent("SDK/include").path

    private static let folder: TemporaryFolder = {
        guard let folder = try? TemporaryFolder("fixtures") else { preconditionFailure("no folder for the fixtures") }
        atexit { FixturePlugin.folder.remove() }
        return folder
    }()
}

extension TemporaryFolder {
    /// Writes a file that the loader may trust, and returns its path.
    package func plugin(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = try write(name, bytes)
        chmod(path, 0o755)
        return path
    }
}
