import Foundation
import TestSupport
import Testing

/// `plugboard plugins sdk`, into a fresh prefix.
struct SDKTests {
    private let folder: TemporaryFolder
    private var prefix: String { folder.file("usr") }

    init() throws { folder = try TemporaryFolder("sdk") }

    @Test func `it installs headers, shims, a page and what pkg-config reads`() async throws {
        let outcome = try await Command.run("plugins", "sdk", "--prefix", prefix)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        let files = [
            "include/plugboard-store.h", "include/plugboard-transform.h", "include/plugboard.h",
            "include/plugboard.hpp",
            "lib/pkgconfig/plugboard.pc",
            "share/plugboard/README.md", "share/plugboard/plugboard.rs",
        ]
        let found = FileManager.default.enumerator(atPath: prefix)?.compactMap { $0 as? String }.sorted() ?? []
        #expect(found.filter { $0.contains(".") } == files)
        for file in files { #expect(outcome.stdout.contains("\(prefix)/\(file)\n")) }
        // For plugins in Swift.
        #expect(
            outcome.stdout.contains(".package(name: \"plugboard\", path: \"\(ScaffoldTestFiles.root)\", traits: [])"))
        #expect(outcome.stdout.contains(".product(name: \"PlugboardKit\", package: \"plugboard\")"))
    }

    @Test func `what it installs is the folder SDK of the repository`() async throws {
        let version = try #require(try await Command.run("--version").stdout.firstMatch(of: /plugboard (.+)/)).1

        _ = try await Command.run("plugins", "sdk", "--prefix", prefix)

        let sdk = ScaffoldTestFiles.sdk
        let files = (FileManager.default.enumerator(atPath: sdk)?.compactMap { $0 as? String } ?? [])
            .filter { !$0.hasPrefix("debian") }
        for file in files where file.contains(".") {
            let installed = file == "README.md" ? "share/plugboard/README.md" : file
            let original = try String(contentsOfFile: "\(sdk)/\(file)", encoding: .utf8)
            // The repository has the version in one place, which is the kernel's.
            let expected = original.replacing("@version@", with: version)
            #expect(try folder.read("usr/\(installed)") == Array(expected.utf8), "\(file)")
        }

        #expect(files.count { $0.contains(".") } == 7)
    }

    @Test func `it replaces what an earlier version left there, and nothing else`() async throws {
        try folder.write("usr/include/plugboard.h", "old")
        try folder.write("usr/include/other.h", "mine")

        let outcome = try await Command.run("plugins", "sdk", "--prefix", prefix)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.read("usr/include/plugboard.h").count > 10_000)
        #expect(try folder.read("usr/include/other.h") == Array("mine".utf8))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(prefix)/include").sorted() == [
                "other.h", "plugboard-store.h", "plugboard-transform.h", "plugboard.h", "plugboard.hpp",
            ])
    }

    @Test func `a prefix that cannot be written is an error`() async throws {
        try folder.write("usr", "a file")

        let outcome = try await Command.run("plugins", "sdk", "--prefix", prefix)

        #expect(outcome.status == 23)
        #expect(outcome.stderr.contains("cannot be written"))
    }

    @Test func `pkg-config finds it, wherever the folder was moved to`() async throws {
        let version = try await Command.run("--version")
        _ = try await Command.run("plugins", "sdk", "--prefix", prefix)
        try FileManager.default.moveItem(atPath: prefix, toPath: folder.file("moved"))
        let moved = folder.file("moved")

        let installed = try pkgConfig(["--modversion"], moved)
        let revision = try pkgConfig(["--variable=abi_revision"], moved)
        let flags = try pkgConfig(["--cflags"], moved)

        #expect("plugboard \(installed)" == version.stdout.prefix { $0 != "\n" })
        #expect(revision == "1")
        let include = try #require(flags.hasPrefix("-I") ? String(flags.dropFirst(2)) : nil)
        #expect(URL(fileURLWithPath: include).standardizedFileURL.path == "\(moved)/include")
    }

    @Test(arguments: ["c", "c++"])
    func `a plugin outside the repository builds with what pkg-config says, and loads`(language: String) async throws {
        _ = try await Command.run("plugins", "sdk", "--prefix", prefix)
        let project = try await ScaffoldedProject("outside", language: language)
        try FileManager.default.removeItem(atPath: project.file("include"))
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        defer { server.stop() }

        let object = try await project.build(environment: ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"])
        let outcome = try await Command.run("get", server.url(), "--plugin", object)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.first?["x-outside"] == "hello")
    }

    private func pkgConfig(_ arguments: [String], _ prefix: String) throws -> String {
        let outcome = try ProcessRunner.run(
            ["pkg-config"] + arguments + ["plugboard"], environment: ["PKG_CONFIG_PATH": "\(prefix)/lib/pkgconfig"])
        try #require(outcome.status == 0, "\(outcome.stderr)")
        return outcome.stdout.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
