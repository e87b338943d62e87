import Foundation
import PlugboardJSON
import TestSupport
import Testing

/// Each project is built by the one command of its README and loaded into `plugboard`.
@Suite struct `A project in C, C++ or Rust` {
    private func project(_ language: String) async throws -> ScaffoldedProject {
        try await ScaffoldedProject("try-it", language: language, options: ["--id", "org.acme.try-it"])
    }

    @Test(.enabled(if: ScaffoldedProject.canBuild("c"), "there is no compiler for C"))
    func `in C builds, says what it is, and changes requests`() async throws {
        try await check(try await project("c"))
    }

    @Test(.enabled(if: ScaffoldedProject.canBuild("c++"), "there is no compiler for C++"))
    func `in C++ builds, says what it is, and changes requests`() async throws {
        try await check(try await project("c++"))
    }

    @Test(.enabled(if: ScaffoldedProject.canBuild("rust"), "there is no compiler for Rust"))
    func `in Rust builds, says what it is, and changes requests`() async throws {
        try await check(try await project("rust"))
    }

    private func check(_ project: ScaffoldedProject) async throws {
        let object = try await project.build()
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        defer { server.stop() }

        let inspected = try await Command.run("plugins", "inspect", object, "--json")
        let check = try await Command.run("config", "check", project.file("plugboard.json"))
        let asConfigured = try await Command.run("get", server.url(), "--config", project.file("plugboard.json"))
        let everySecond = try await Command.exec(
            (1...4).map { #"{"id": "\#($0)", "url": "\#(server.url("/\($0)"))"}"# }, "--plugin", object, "--set",
            "org.acme.try-it.every=2", "--set", "org.acme.try-it.value=two words")
        let outOfBounds = try await Command.run(
            "get", server.url(), "--plugin", object, "--set", "org.acme.try-it.every=0")
        let shown = try await Command.run("org.acme.try-it", "show", "--plugin", object)
        let ownTest = try await project.run(try project.commands()[1])
        let rules = try await Command.run("plugins", "check", object, "--strict", "--seed", "1")

        let report = try JSONParser.parse(inspected.stdout)
        #expect(report["file"]?["id"] == "org.acme.try-it" && report["file"]?["version"] == "0.1.0")
        #expect(report["file"]?["entry"] == "try_it_LTX_plugboard_plugin")
        #expect(report["plugin"]?["id"] == "org.acme.try-it" && report["plugin"]?["version"] == "0.1.0")
        #expect(report["plugin"]?["hooks"] == ["onRequest"])
        let settings = report["plugin"]?["settings"]?.arrayValue ?? []
        #expect(settings.map { $0["name"] } == ["value", "every"])
        #expect(settings.map { $0["default"] } == ["hello", "1"])
        #expect(settings.map { $0["minimum"] } == ["1", "1"] && settings.map { $0["maximum"] } == ["100", "1000"])
        #expect(settings.allSatisfy { $0["documentation"]?.stringValue?.hasSuffix(".") == true })
        let readme = try project.text("README.md")
        for setting in settings {
            let cells = ["name", "type", "default", "documentation"].map { setting[$0]?.stringValue ?? "" }
            #expect(readme.contains("\n| `\(cells[0])` | \(cells[1]) | `\(cells[2])` | \(cells[3]) |\n"))
        }
        #expect(try await exports(of: object) == ["try_it_LTX_plugboard_plugin"])

        #expect(shown.stdout == #"{"requests":0}"# + "\n", "\(shown.stderr)")
        #expect(check.status == 0, "\(check.stderr)")
        #expect(asConfigured.status == 0, "\(asConfigured.stderr)")
        #expect(everySecond.count == 4)
        #expect(outOfBounds.status != 0 && outOfBounds.stderr.contains("every"))
        #expect(server.requests.count == 5)
        #expect(server.requests.first?["x-try-it"] == "hello")
        #expect(server.requests.dropFirst().compactMap { $0["x-try-it"] } == ["two words", "two words"])
        #expect(ownTest.status == 0, "\(ownTest.stdout)\(ownTest.stderr)")
        #expect(rules.status == 0 && rules.stdout.contains("\(object): "), "\(rules.stdout)\(rules.stderr)")
    }

    @Test(.enabled(if: ScaffoldedProject.canBuild("c"), "there is no compiler for C"))
    func `its own test fails when the plugin does not do what it should`() async throws {
        let project = try await project("c")
        let source = try project.text("try_it.c")
        try source.replacing(".fallback = PLUG_LITERAL(\"hello\")", with: ".fallback = PLUG_LITERAL(\"else\")")
            .write(toFile: project.file("try_it.c"), atomically: true, encoding: .utf8)
        let configuration = try project.text("plugboard.json")
        try configuration.replacing(#", "settings": { "value": "hello" }"#, with: "")
            .write(toFile: project.file("plugboard.json"), atomically: true, encoding: .utf8)

        let without = try await project.run("make test")
        let absent = try await project.run("make test PLUGBOARD=./no-such-command")

        #expect(without.status != 0)
        #expect(without.stderr.contains("no field x-try-it"))
        #expect(absent.status != 0)
        #expect(absent.stderr.contains("make test PLUGBOARD="))
    }

    /// The names that other objects can find in a shared object.
    private func exports(of object: String) async throws -> [String] {
        let outcome = try await ProcessRunner.running(["nm", "-D", "--defined-only", object])
        return outcome.stdout.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
    }
}

/// `Tests/run` builds and tests this project beforehand, as its README says.
@Suite(.enabled(if: SwiftProject.isBuilt, "the project in Swift is not built: see Tests/run"))
struct `A project in Swift` {
    @Test func `is loaded, says what it is, and changes requests`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        defer { server.stop() }
        let configuration = "\(SwiftProject.path)/plugboard.json"

        let inspected = try await Command.run("plugins", "inspect", SwiftProject.object, "--json")
        let shown = try await Command.run("com.example.try-swift", "show", "--plugin", SwiftProject.object)
        let outcome = try await Command.run("get", server.url(), "--config", configuration)

        let report = try JSONParser.parse(inspected.stdout)
        #expect(report["file"]?["id"] == "com.example.try-swift" && report["file"]?["version"] == "0.1.0")
        #expect(report["plugin"]?["settings"]?.arrayValue?.map { $0["name"] } == ["value", "every"])
        #expect(shown.stdout == #"{"requests":0}"# + "\n", "\(shown.stderr)")
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.first?["x-try-swift"] == "hello")
    }

    @Test func `others see one function of it`() async throws {
        let outcome = try await ProcessRunner.running(["nm", "-D", "--defined-only", SwiftProject.object])

        let exported = outcome.stdout.split(separator: "\n").map { $0.split(separator: " ") }
            // Lower case: local to the object, in any table.
            .filter { $0.count == 3 && $0[1].allSatisfy(\.isUppercase) }.map { $0[2] }
        #expect(exported == ["try_swift_LTX_plugboard_plugin"])
    }
}

enum SwiftProject {
    static let path = "\(ScaffoldTestFiles.root)/.build-scaffold"
    static let object = "\(path)/.build/release/libtry-swift.so"
    /// Whether it is there, or has to be.
    static let isBuilt = Strictness.isSet || FileManager.default.fileExists(atPath: object)
}
