import TestSupport
import Testing

/// What `download` and `upload` print, and what they refuse.
struct TransferCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func server() throws -> LoopbackServer {
        try LoopbackServer.responding { request in
            guard request.path.hasPrefix("/moved") else { return ServerResponse(body: "content") }
            return ServerResponse(status: 307, fields: [("Location", "/file")], body: "")
        }
    }

    @Test func `progress none prints errors only`() async throws {
        let server = try server()
        let file = try folder.write("source", "text")

        let success = try await Command.run(
            "download", server.url("/file"), "-o", folder.file("file"), "--progress", "none")
        let plain = try await Command.run("download", server.url("/file"), "-o", folder.file("other"))
        let upload = try await Command.run(
            "upload", file, server.url("/file"), "--progress", "none", "--resumable", "none")
        let failure = try await Command.run(
            "download", server.url("/file"), "-o", folder.file("file"), "--progress", "none")

        #expect(success.status == 0 && success.stderr.isEmpty, "\(success.stderr)")
        #expect(plain.status == 0 && plain.stderr.contains("7 B"), "\(plain.stderr)")
        #expect(upload.status == 0 && upload.stderr.isEmpty, "\(upload.stderr)")
        #expect(failure.status == 23 && failure.stderr.contains("--overwrite"))
    }

    @Test func `the plugin logging logs downloads as it logs other requests`() async throws {
        let server = try server()

        let outcome = try await Command.run(
            "download", server.url("/file"), "-o", folder.file("file"), "--plugin", "logging")

        #expect(outcome.stderr.contains("info: logging: GET \(server.url("/file")) → 200"), "\(outcome.stderr)")
    }

    @Test func `standard output is no file of a download`() async throws {
        let server = try server()

        let outcome = try await Command.run("download", server.url("/file"), "-o", "-")

        #expect(outcome.status == 2 && outcome.stderr.contains("plugboard get URL"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["absent/", "absent/file", "file/x"])
    func `a folder that does not exist is named once, before anything is sent`(output: String) async throws {
        let server = try server()
        try folder.write("file", "")
        let path = folder.file(output)
        let urls = output.hasSuffix("/") ? ["/1", "/2", "/3"] : ["/1"]

        let outcome = try await Command.running(["download", "-o", path] + urls.map { server.url($0) })

        #expect(outcome.status == 23)
        let parent = path[..<(path.lastIndex(of: "/") ?? path.endIndex)]
        #expect(
            outcome.stderr == "plugboard: -o: there is no folder \(parent). Create it first, or write --create-dirs.\n")
        #expect(server.requests.isEmpty)
    }

    @Test func `the error of a redirect says how it is followed, and the plugin follows it`() async throws {
        let server = try server()
        let file = try folder.write("source", "text")
        let words = [
            ["download", server.url("/moved"), "-o", folder.file("file")],
            ["upload", file, server.url("/moved"), "--resumable", "none"],
        ]

        for words in words {
            let refused = try await Command.running(words + (words[0] == "download" ? ["--no-location"] : []))
            let followed = try await Command.running(words + (words[0] == "upload" ? ["--plugin", "redirect"] : []))

            #expect(refused.status == 22)
            #expect(refused.stderr.hasSuffix(" --plugin redirect follows redirects.\n"), "\(refused.stderr)")
            #expect(followed.status == 0, "\(followed.stderr)")
        }
        #expect(server.requests.last?.path == "/file" && server.requests.last?.body.count == 4)
    }

    @Test func `the error of a folder that is uploaded names it as one`() async throws {
        let server = try server()

        let outcome = try await Command.run("upload", folder.path, server.url("/files/"))

        #expect(outcome.status == 26)
        #expect(
            outcome.stderr.hasPrefix("plugboard: \(folder.path) is a folder. Name the files in it."),
            "\(outcome.stderr)")
    }
}
