import Foundation
import Plugboard
import PlugboardCookiesOptions
import PlugboardKit
import TestSupport
import Testing

struct CookieCommandTests {
    @Test(arguments: Linkage.allCases)
    func `the commands set, list, get and delete cookies`(linkage: Linkage) async throws {
        let kernel = try Setup.kernel(linkage)

        try await kernel.cookies.set(
            "a=1; Domain=example.com; HttpOnly; SameSite=Lax", for: "https://www.example.com/x/y")
        try await kernel.cookies.set("b=2; Max-Age=60; Secure; Path=/", for: "https://example.com/")
        let all = try await kernel.cookies.all()
        let ofHost = try await kernel.cookies.all(domain: "www.example.com")

        #expect(all.map(\.name) == ["a", "b"])
        #expect(all.first?.domain == "example.com" && all.first?.path == "/x" && all.first?.isHTTPOnly == true)
        #expect(all.first?.sameSite == "lax" && all.first?.expires == nil && all.first?.isHostOnly == false)
        #expect(all.last?.isSecure == true && all.last?.expires != nil && all.last?.value == "2")
        #expect(ofHost.map(\.name) == ["a"])
        #expect(try await kernel.cookies.get("https://example.com/x") == "a=1; b=2")
        #expect(try await kernel.cookies.get("http://example.com/x") == "a=1")
        #expect(try await kernel.cookies.delete(name: "a", domain: "other.com") == 0)
        #expect(try await kernel.cookies.delete(name: "a") == 1)
        #expect(try await kernel.cookies.get("http://example.com/x") == nil)
        try await kernel.cookies.clear()
        #expect(try await kernel.cookies.all() == [])
    }

    @Test(arguments: Linkage.allCases)
    func `forget removes all jars`(linkage: Linkage) async throws {
        let kernel = try Setup.kernel(linkage)
        for jar in ["x", "y"] { try await kernel.cookies.set("a=1", for: "http://a.test/", jar: jar) }

        try await kernel.cookies.clear(jar: "x")
        let left = try await kernel.command("cookies", "stats")
        try await kernel.forget()

        #expect(text(left) == #"{"jars":{"y":{"cookies":1,"ofSession":1,"domains":1}}}"#)
        #expect(text(try await kernel.command("cookies", "stats")) == #"{"jars":{}}"#)
    }

    @Test(
        arguments: [
            ("set", #"{"url": "http://a.test/", "cookie": "a=1; Domain=b.test"}"#, "cookies.refused", "foreignDomain"),
            ("set", #"{"url": "a.test", "cookie": "a=1"}"#, "cookies.argument", "url"),
            ("set", #"{"url": "http://a.test/"}"#, "cookies.argument", "needs cookie"),
            ("set", #"{"url": "http://a.test/", "value": "x"}"#, "cookies.argument", "url, cookie, jar"),
            ("get", #"{"url": ["http://a.test/"]}"#, "cookies.argument", "an array"),
            ("get", "[]", "cookies.argument", "not a JSON object"), ("delete", "{}", "cookies.argument", "forget"),
            ("import", #"{"path": "/nonexistent/cookies.txt"}"#, "cookies.file", "/nonexistent/cookies.txt"),
            ("export", #"{"path": "/nonexistent/cookies.txt"}"#, "cookies.file", "/nonexistent/cookies.txt"),
        ] as [(String, String, String, String)])
    func `an invalid argument is an error that says what to do`(
        command: String, arguments: String, code: String, reason: String
    ) async throws {
        let kernel = try Setup.kernel(.linked)

        let error = await #expect(throws: PlugboardError.self) {
            try await kernel.command("cookies", command, arguments)
        }

        #expect(error?.code.name == code)
        #expect(error?.reason.contains(reason) == true)
    }

    @Test(arguments: Linkage.allCases)
    func `date and registrable reply with the result`(linkage: Linkage) async throws {
        let kernel = try Setup.kernel(linkage)

        let replies = [
            try await kernel.command("cookies", "date", #"{"text": "10-dec-07 17:02:24"}"#),
            try await kernel.command("cookies", "date", #"{"text": "never"}"#),
            try await kernel.command("cookies", "registrable", #"{"host": "www.BÜCHER.co.uk"}"#),
            try await kernel.command("cookies", "registrable", #"{"host": "co.uk"}"#),
        ]

        #expect(
            replies.map(text) == [
                #"{"date":"Mon, 10 Dec 2007 17:02:24 GMT"}"#, #"{"date":null}"#, #"{"domain":"bücher.co.uk"}"#,
                #"{"domain":null}"#,
            ])
    }

    @Test(arguments: Linkage.allCases)
    func `an exported cookies.txt is imported again`(linkage: Linkage) async throws {
        let folder = try TemporaryFolder()
        let kernel = try Setup.kernel(linkage)
        for cookie in ["a=1; Domain=example.com; Max-Age=60", "b=ü; HttpOnly; Path=/x", "nameless"] {
            try await kernel.cookies.set(cookie, for: "https://www.example.com/")
        }

        try await kernel.cookies.exportFile(folder.file("cookies.txt"))
        let errors = try await kernel.cookies.importFile(folder.file("cookies.txt"), jar: "copy")
        let path = try folder.write(
            "broken.txt", "nonsense\n" + String(decoding: folder.read("cookies.txt"), as: UTF8.self))
        let errorsOfBroken = try await kernel.cookies.importFile(path, jar: "broken")

        let all = try await kernel.cookies.all()
        #expect(errors == [] && errorsOfBroken == ["line 1: It has 1 fields, but a cookie has seven."])
        #expect(all.count == 3)
        #expect(try await kernel.cookies.all(jar: "copy").map(\.name) == all.map(\.name))
        #expect(try await kernel.cookies.all(jar: "broken").map(\.value) == all.map(\.value))
        #expect(try permissions(of: folder.file("cookies.txt")) == 0o600)
        #expect(try folder.entries() == ["broken.txt", "cookies.txt"])
    }

    @Test(.enabled(if: geteuid() == 0))
    func `an export replaces a link of another user, and its temporary file has a random name`() async throws {
        let folder = try TemporaryFolder()
        let kernel = try Setup.kernel(.linked)
        try await kernel.cookies.set("a=1", for: "http://a.test/")
        try folder.write("theirs", "precious")
        let draft = folder.file("cookies.txt.\(getpid()).new")
        for link in [folder.file("cookies.txt"), draft] {
            symlink(folder.file("theirs"), link)
            try #require(lchown(link, 65534, 65534) == 0)
        }

        try await kernel.cookies.exportFile(folder.file("cookies.txt"))

        #expect(try folder.read("theirs") == Array("precious".utf8))
        #expect(try String(decoding: folder.read("cookies.txt"), as: UTF8.self).contains("\ta\t1\n"))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("cookies.txt"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.type] as? FileAttributeType == .typeRegular)
        #expect(try folder.entries().count == 3)
    }

    @Test func `an export through a link of the same user replaces the target`() async throws {
        let folder = try TemporaryFolder()
        let kernel = try Setup.kernel(.linked)
        try await kernel.cookies.set("a=1", for: "http://a.test/")
        try folder.write("real.txt", "old")
        try #require(symlink(folder.file("real.txt"), folder.file("cookies.txt")) == 0)

        try await kernel.cookies.exportFile(folder.file("cookies.txt"))

        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("cookies.txt"))
        #expect(attributes[.type] as? FileAttributeType == .typeSymbolicLink)
        #expect(try String(decoding: folder.read("real.txt"), as: UTF8.self).contains("\ta\t1\n"))
        #expect(try folder.entries().count == 2)
    }

    @Test func `an export to a FIFO is written to it, and it stays a FIFO`() async throws {
        let folder = try TemporaryFolder()
        let kernel = try Setup.kernel(.linked)
        try await kernel.cookies.set("a=1", for: "http://a.test/")
        let path = folder.file("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        // The reading end is open first, so that the export does not wait for it.
        let pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(pipe >= 0)
        defer { close(pipe) }

        try await kernel.cookies.exportFile(path)

        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(pipe, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).contains("\ta\t1\n"))
        var entry = stat()
        #expect(lstat(path, &entry) == 0 && entry.st_mode & S_IFMT == S_IFIFO)
        #expect(try folder.entries() == ["pipe"])
    }

    @Test func `an export to a folder is an error that names it`() async throws {
        let folder = try TemporaryFolder()
        let kernel = try Setup.kernel(.linked)

        let error = await #expect(throws: PlugboardError.self) { try await kernel.cookies.exportFile(folder.path) }

        #expect(error?.reason.contains("\(folder.path) cannot be written: Is a directory.") == true)
    }

    @Test func `an export without a path replies with the content`() async throws {
        let kernel = try Setup.kernel(.linked)
        try await kernel.cookies.set("a=1", for: "http://a.test/")

        guard case .body(let body) = try await kernel.command("cookies", "export") else {
            Issue.record("The reply is no body.")
            return
        }

        let text = try await body.text()
        #expect(text.hasPrefix("# Netscape HTTP Cookie File\n# https://curl.se/"))
        #expect(text.hasSuffix("\n\na.test\tFALSE\t/\tFALSE\t0\ta\t1\n"))
    }

    private func text(_ reply: CommandReply) -> String {
        if case .json(let text) = reply { text } else { "a body" }
    }
}

/// The permission bits of a file.
func permissions(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? Int ?? 0) & 0o777
}
