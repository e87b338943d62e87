import Foundation
import TestSupport
import Testing

/// Each project is linked into a program as its README says, and switched on by its id.
@Suite struct `A project that is linked` {
    @Test(.enabled(if: ScaffoldedProject.canBuild("c"), "there is no compiler for C"))
    func `in C changes the program's requests`() async throws {
        let project = try await project("c")
        try await run("cc -std=c11 -O2 -fPIC -Iinclude -c try_it.c -o try_it.o", project)

        try await check(project, linking: ["try_it.o"])
    }

    @Test(.enabled(if: ScaffoldedProject.canBuild("c++"), "there is no compiler for C++"))
    func `in C++ changes the program's requests`() async throws {
        let project = try await project("c++")
        try await run("c++ -std=c++17 -O2 -fPIC -Iinclude -c try_it.cpp -o try_it.o", project)

        try await check(project, linking: ["try_it.o", "-lstdc++"])
    }

    @Test(.enabled(if: ScaffoldedProject.canBuild("rust"), "there is no compiler for Rust"))
    func `in Rust changes the program's requests`() async throws {
        let project = try await project("rust")
        _ = try await project.build()

        try await check(project, linking: ["target/release/libtry_it.a"])
    }

    private func project(_ language: String) async throws -> ScaffoldedProject {
        try await ScaffoldedProject("try-it", language: language, options: ["--id", "org.acme.try-it"])
    }

    private func run(_ command: String, _ project: ScaffoldedProject) async throws {
        let outcome = try await project.run(command)
        try #require(outcome.status == 0, "\(command): \(outcome.stdout)\(outcome.stderr)")
    }

    private func check(_ project: ScaffoldedProject, linking objects: [String]) async throws {
        let program = try await LinkedProgram.build(project, objects)
        try #"{ "plugins": [{ "id": "org.acme.try-it", "settings": { "value": "linked" } }] }"#
            .write(toFile: project.file("linked.json"), atomically: true, encoding: .utf8)
        let server = try LoopbackServer.responding { _ in ServerResponse() }
        defer { server.stop() }

        let outcome = try await ProcessRunner.running([program, project.file("linked.json"), server.url()])

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout == "200\n")
        #expect(server.requests.map { $0["x-try-it"] } == ["linked"])
    }
}

/// `linked.swift` with a project's objects and those of the kernel that the tests were built with.
private enum LinkedProgram {
    static func build(_ project: ScaffoldedProject, _ objects: [String]) async throws -> String {
        let readme = try project.text("README.md")
        let declaration = try #require(readme.firstMatch(of: /`(const plug_plugin_v1 \*[a-z_A-Z]+\(void\);)`/)).1
        let module = project.file("module")
        try FileManager.default.createDirectory(atPath: module, withIntermediateDirectories: true)
        try "#include <plugboard.h>\n\(declaration)\n"
            .write(toFile: "\(module)/try_it.h", atomically: true, encoding: .utf8)
        try "module TryIt {\n    header \"try_it.h\"\n    export *\n}\n"
            .write(toFile: "\(module)/module.modulemap", atomically: true, encoding: .utf8)
        // What the smallest program is made of, in its place, and the reader of its file.
        let kernel = try String(
            contentsOfFile: "\(Products.folder)/plugboard-core.product/Objects.LinkFileList", encoding: .utf8
        ).split(separator: "\n").filter { !$0.contains("/ExampleCore.build/") }
        let folder = "\(Products.folder)/PlugboardConfiguration.build"
        let reader = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".o") }
            .map { "\(folder)/\($0)" }
        try kernel.map { "\($0)\n" }.joined()
            .write(toFile: project.file("kernel.rsp"), atomically: true, encoding: .utf8)

        let program = project.file("linked")
        let outcome = try await ProcessRunner.running(
            ["swiftc", "-swift-version", "6", "\(ScaffoldTestFiles.fixtures)/linked.swift", "-o", program]
                + ["-I", "\(Products.folder)/Modules", "-I", module] + sanitizers
                + ["-Xcc", "-I\(ScaffoldTestFiles.root)/Sources/CPlugboard/include"]
                + (moduleMaps(in: Products.folder) + moduleMaps(in: "\(ScaffoldTestFiles.root)/Sources"))
                .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
                + ["-module-cache-path", project.file("modules"), "@\(project.file("kernel.rsp"))"] + reader + objects,
            folder: project.path)
        try #require(outcome.status == 0, "\(outcome.stdout)\(outcome.stderr)")
        return program
    }

    /// Of targets in C, and of libraries of the system: modules in Swift name them.
    private static func moduleMaps(in folder: String) -> [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.sorted().map { "\(folder)/\($0)/module.modulemap" }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// Those that the kernel's objects need, as the tests themselves were built with them.
    private static var sanitizers: [String] {
        let address = dlsym(nil, "__asan_init") == nil ? [] : ["-sanitize=address"]
        let thread = dlsym(nil, "__tsan_init") == nil ? [] : ["-sanitize=thread"]
        return address + thread
    }
}
