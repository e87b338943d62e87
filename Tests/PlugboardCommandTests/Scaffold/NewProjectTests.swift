import Foundation
import TestSupport
import Testing

/// What `plugboard plugins new` writes and refuses; nothing is built.
struct NewProjectTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func new(_ arguments: String...) async throws -> ProcessRunner.Outcome {
        try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "new"] + arguments, folder: folder.path)
    }

    @Test(arguments: ["swift", "c", "c++", "rust"])
    func `a project has all its parts, and no word of a template is left`(language: String) async throws {
        let project = try await ScaffoldedProject("sign-requests", language: language)

        let files = try project.files()
        #expect(files.contains("README.md") && files.contains("plugboard.json") && files.contains(".gitignore"))
        #expect(files.contains("exports.map") == (language != "rust"))
        #expect(files.contains { $0.hasSuffix("/scenarios.json") } == (language != "swift"))
        #expect(files.contains("include/plugboard-transform.h") == (language == "c"))
        for file in files {
            let text = try project.text(file)
            #expect(!text.contains(/@(name|module|Type|id|object|dependency|package|version|revision)@/), "\(file)")
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"), "\(file)")
        }
        let texts = try files.map(project.text).joined()
        #expect(texts.contains("sign_requests_LTX_plugboard_plugin"))
        #expect(texts.contains("com.example.sign-requests"))
    }

    @Test func `the header and the shims in a project are those of this version`() async throws {
        let c = try await ScaffoldedProject("a", language: "c")

        let header = try c.text("include/plugboard.h")

        #expect(header == (try String(contentsOfFile: ScaffoldTestFiles.header, encoding: .utf8)))
    }

    @Test func `without a directory, the project's folder has the plugin's name; the paths are printed`()
        async throws
    {
        let outcome = try await new("sign", "--language", "c", "--id", "org.acme.sign")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.entries() == ["sign"])
        let printed = outcome.stdout.split(separator: "\n").filter { $0.hasPrefix("sign/") }
        #expect(printed.contains("sign/sign.c"))
        #expect(printed.allSatisfy { FileManager.default.fileExists(atPath: folder.file(String($0))) })
        #expect(outcome.stdout.contains("make test"))
        #expect(String(decoding: try folder.read("sign/sign.c"), as: UTF8.self).contains("\"org.acme.sign\""))
    }

    @Test func `nothing is overwritten, and nothing is written beside what is there`() async throws {
        try folder.write("sign/Makefile", "mine")
        try folder.write("sign/sign.c", "mine")

        let outcome = try await new("sign", "--language", "c")

        #expect(outcome.status == 23)
        #expect(outcome.stderr.contains("Makefile, sign.c already"))
        #expect(outcome.stdout.isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.file("sign")).sorted() == ["Makefile", "sign.c"])
        #expect(String(decoding: try folder.read("sign/sign.c"), as: UTF8.self) == "mine")
    }

    @Test func `a link whose target does not exist is not overwritten`() async throws {
        try folder.write("sign/other", "")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("sign/sign.c"), withDestinationPath: folder.file("elsewhere"))

        let outcome = try await new("sign", "--language", "c")

        #expect(outcome.status == 23)
        #expect(!FileManager.default.fileExists(atPath: folder.file("elsewhere")))
    }

    @Test func `a folder that cannot be made is an error`() async throws {
        try folder.write("file", "")

        let outcome = try await new("sign", "--language", "c", "--directory", folder.file("file/project"))

        #expect(outcome.status == 23)
        #expect(outcome.stderr.contains("cannot be written"))
    }

    @Test(arguments: [
        ("", nil), ("9lives", "lives"), ("a b", "a-b"), ("sign_it", "sign-it"), ("-a", nil), ("a-", nil),
        ("a--b", "a-b"),
        ("schlüssel", nil), ("../up", "up"), (String(repeating: "a", count: 65), nil),
    ])
    func `a name that cannot be is refused, with one that can`(name: String, near: String?) async throws {
        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "new", "--language", "c", "--", name], folder: folder.path)

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("A plugin's name is made of letters, digits"))
        if let near { #expect(outcome.stderr.contains("Such as \(near).")) }
        #expect(try folder.entries() == [])
    }

    @Test(arguments: ["new", "sdk"])
    func `the verb explains itself with examples`(verb: String) async throws {
        let outcome = try await Command.run("plugins", verb, "--help")

        #expect(outcome.status == 0)
        #expect(outcome.stdout.contains("EXAMPLES:\n  plugboard plugins \(verb)"))
    }

    @Test(arguments: ["redirect", "Redirect", "plugboard", "plugboard-mine"])
    func `the names of bundled plugins and of products are taken`(name: String) async throws {
        let outcome = try await new(name, "--language", "c")

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("bundled"))
    }

    @Test(arguments: ["", "a b", "com.example/x", "a..b", ".a", "a.", "..", "\"", String(repeating: "a", count: 129)])
    func `an id that the kernel would refuse is refused here`(id: String) async throws {
        let outcome = try await new("sign", "--language", "c", "--id", id)

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("--id must be made of"))
        #expect(try folder.entries() == [])
    }

    @Test(arguments: [
        ("kernel", "is the kernel's own"), ("kernel.log", "is the kernel's own"),
        ("cache", "is the id of a bundled plugin"), ("Redirect", "is the id of a bundled plugin"),
    ])
    func `an id that is taken is refused, with one that is not`(id: String, reason: String) async throws {
        let outcome = try await new("sign", "--language", "c", "--id", id)

        #expect(outcome.status == 2)
        #expect(outcome.stderr.hasPrefix("plugboard: --id \(id) \(reason)"))
        #expect(outcome.stderr.contains("such as com.example."))
        #expect(try folder.entries() == [])
    }

    @Test(arguments: [
        ["sign"], ["sign", "--language", "zig"], ["--language", "c"], ["sign", "--language", "c", "--plugboard", "/"],
        ["sign", "--language", "swift", "--plugboard", "/nowhere"],
        ["sign", "--language", "swift", "--plugboard", "https://a/\"b"],
        ["sign", "--language", "c", "--directory", ""],
    ])
    func `arguments that are not valid end with 2 and write nothing`(arguments: [String]) async throws {
        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "new"] + arguments, folder: folder.path)

        #expect(outcome.status == 2)
        #expect(!outcome.stderr.isEmpty && outcome.stdout.isEmpty)
        #expect(try folder.entries() == [])
    }

    @Test func `a project in Swift depends on the repository that the command was built in, or on the given one`()
        async throws
    {
        let own = try await ScaffoldedProject("sign", language: "swift")
        let other = try await ScaffoldedProject(
            "sign", language: "swift", options: ["--plugboard", "https://example.com/acme/plug.git"])

        #expect(
            try own.text("Package.swift").contains(
                ".package(name: \"plugboard\", path: \"\(ScaffoldTestFiles.root)\", traits: [])"))
        #expect(
            try other.text("Package.swift").contains(
                ".package(url: \"https://example.com/acme/plug.git\", from: \"0.1.0\", traits: [])"))
        #expect(try other.text("Package.swift").contains(".product(name: \"PlugboardKit\", package: \"plug\")"))
        #expect(try own.files().contains("Sources/SignPlugin/SignPlugin.swift"))
    }

    @Test(arguments: [
        ("sign", "SignPlugin"), ("sign-it-2", "SignIt2Plugin"), ("my-plugin", "MyPlugin"), ("plugin", "PluginPlugin"),
        ("HTTP", "HTTPPlugin"),
    ])
    func `types in Swift are named after the plugin`(name: String, type: String) async throws {
        let project = try await ScaffoldedProject(name, language: "swift")

        #expect(try project.files().contains("Sources/\(type)/\(type).swift"))
    }
}
