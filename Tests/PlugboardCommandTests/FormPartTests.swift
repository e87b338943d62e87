import TestSupport
import Testing

@testable import PlugboardCommand

struct FormPartTests {
    private func part(_ text: String) throws -> FormPart { try FormPart(text) }

    @Test func `a text includes its semicolons, up to one before a known word`() throws {
        let plain = try part("title=Lake = blue; deep")
        let typed = try part("title=a;b;type=text/markdown;charset=utf-8;filename=t.md")

        #expect(plain.name == "title" && plain.content == .text("Lake = blue; deep") && plain.type == nil)
        #expect(typed.content == .text("a;b") && typed.type == "text/markdown;charset=utf-8")
        #expect(typed.fileName == "t.md")
    }

    @Test(arguments: [
        ("a.gif", "image/gif"), ("a.JPG", "image/jpeg"), ("a.jpeg", "image/jpeg"), ("a.png", "image/png"),
        ("a.svg", "image/svg+xml"), ("a.txt", "text/plain"), ("a.htm", "text/html"), ("a.html", "text/html"),
        ("a.pdf", "application/pdf"), ("a.xml", "application/xml"), ("a.tar.gz", "application/gzip"),
        ("a", "application/octet-stream"), (".", "application/octet-stream"),
    ])
    func `a file has the type of its extension`(file: String, type: String) throws {
        let part = try part("f=@/x.txt/\(file)")

        #expect(part.content == .file("/x.txt/\(file)") && part.fileName == file && part.type == type)
    }

    @Test(arguments: [
        ("-;filename=n.txt", "text/plain"), ("a.txt;filename=n.html", "text/html"), ("a.txt;filename=n", "text/plain"),
        ("a;filename=n", "application/octet-stream"), ("a.txt;filename=n.html;type=text/csv", "text/csv"),
    ])
    func `the name that is sent decides the type before that of the file`(file: String, type: String) throws {
        #expect(try part("f=@\(file)").type == type)
    }

    @Test func `a file's type and name can be given`() throws {
        let part = try part("f=@a.txt; type=application/x;filename=\"b\\\"\\\\;c\"")

        #expect(part.content == .file("a.txt") && part.type == "application/x" && part.fileName == "b\"\\;c")
    }

    @Test func `blanks before a semicolon belong to no name, unless they are quoted`() throws {
        let part = try part("f=@a.txt ; type=text/csv ;filename=\"b \" ")

        #expect(part.content == .file("a.txt") && part.type == "text/csv" && part.fileName == "b ")
    }

    @Test func `a file can be a text, and its name can have a semicolon in quotes`() throws {
        #expect(try part("f=<a.txt").fileName == nil && part("f=<a.txt").content == .file("a.txt"))
        #expect(try part("f=@\"a;b.txt\"").content == .file("a;b.txt"))
    }

    @Test func `a part has the fields of headers=, and those of files`() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer.responding { ServerResponse(body: $0.body) }
        let file = try folder.write("fields", "# two\nX-B: 2\r\n\nX-C: c\n")
        let options = [
            "-F", "a=@\(file);headers=\"X-A: b;c\"", "-F", "b=1;headers=@\"\(file)\";type=text/plain;headers=X-D: 4",
        ]
        for verb in ["post", "curl"] {
            let outcome = try await Command.running([verb, server.url()] + options)

            #expect(outcome.stdout.contains("Content-Type: application/octet-stream\r\nX-A: b;c\r\n\r\n"))
            #expect(outcome.stdout.contains("Content-Type: text/plain\r\nX-B: 2\r\nX-C: c\r\nX-D: 4\r\n\r\n1\r\n"))
        }
        let line = try await Command.running(["post", server.url(), "--print-curl"] + options).stdout
        #expect(line.contains("headers=\"X-A: b;c\"'") && line.contains("headers=@\(file);headers=X-D: 4"), "\(line)")
    }

    @Test func `a field of headers= that is no line is refused`() async throws {
        let outcome = try await Command.run("post", "http://127.0.0.1:1/", "-F", "a=1;headers=\"X: geheim\nb\"")

        #expect(outcome.status == 2 && !outcome.stderr.contains("geheim"), "\(outcome.stderr)")
    }

    @Test func `a literal part has no special characters`() throws {
        #expect(try FormPart(literal: "a=@b;type=c").content == .text("@b;type=c"))
    }

    @Test(arguments: ["a", "=a", "a=@b;c", "a=@\"b", "a=@b;type=text", "a=b;type=text/x\r\nX: y", "a=@b;filename=\"c"])
    func `a malformed part is refused`(text: String) {
        #expect(throws: CommandFailure.self) { try FormPart(text) }
    }
}
