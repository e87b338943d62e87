import Plugboard
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Names that servers give files (RFC 6266, RFC 8187).
struct NameTests {
    @Test(arguments: [
        ("attachment; filename=report.pdf", "report.pdf"),
        ("attachment; filename=\"the report.pdf\"", "the report.pdf"),
        ("inline;filename = \"a;b.pdf\" ; size=3", "a;b.pdf"),
        ("attachment; filename=\"a\\\"b.pdf\"", "a\"b.pdf"),
        ("ATTACHMENT; FileName=\"a.pdf\"", "a.pdf"),
        ("attachment; filename=EURO-rates; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename*=UTF-8'en'%E2%82%AC.txt; filename=euro.txt", "€.txt"),
        ("attachment; filename*=iso-8859-1''%E9t%E9.txt", "été.txt"),
        // A form that cannot be read is left out (RFC 8187 §3.2.1).
        ("attachment; filename*=utf-8''%ff; filename=a.txt", "a.txt"),
        ("attachment; filename*=utf-8''%zz; filename=a.txt", "a.txt"),
        ("attachment; filename*=koi8-r''a; filename=b.txt", "b.txt"),
        ("attachment; filename*=abc; filename=b.txt", "b.txt"),
        ("attachment; filename *=utf-8''a.txt", nil), ("attachment; filename x=a.txt; filename =b.txt", "b.txt"),
        ("attachment; filename *=utf-8''a.txt; filename=b.txt", "b.txt"),
        ("attachment; filename=foo%20bar.txt", "foo%20bar.txt"),
        // Not decoded, as RFC 6266 says.
        ("attachment; filename=\"a%20b.txt\"", "a%20b.txt"),
        ("attachment; filename=two words.txt", "two words.txt"),
        ("attachment; filename=\"not closed", "not closed"),
        ("attachment", nil), ("", nil), (";;;=;\"", nil), ("attachment; filename", nil), ("filename=a", nil),
    ])
    func `the name in Content-Disposition is read`(value: String, name: String?) {
        #expect(ContentDisposition.name(in: Fields(["Content-Disposition": value])) == name)
    }

    @Test(arguments: [
        ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("C:\\Users\\me\\a.exe", "a.exe"),
        (".bashrc", "bashrc"), ("a\u{0}b\n.txt", "a_b_.txt"), ("\u{202E}gpj.exe", "_gpj.exe"), ("a.part", "a.part_"),
        ("-rf", "rf"), ("..", nil), ("", nil), ("a/", nil), ("file.PART.json", "file.PART.json_"),
    ])
    func `names of servers are made safe`(given: String, name: String?) {
        #expect(SafeName.from(name: given) == name)
    }

    @Test func `a file in a folder has the name that the server gives, also after a break`() async throws {
        let folder = try TemporaryFolder()
        let content = RangeServer.content(5000)
        let server = try RangeServer { number, request in
            var reply = RangeServer.correct(request, content, cut: number == 1 ? 700 : nil)
            // The second response does not name it.
            if number == 1 { reply.fields.append(("Content-Disposition", "attachment; filename=\"../a name.bin\"")) }
            return reply
        }

        let result = try await Download(Request(.get, server.url("/x?id=1")), in: folder.path).run(with: Kernel())

        #expect(result.file == folder.file("a name.bin"))
        #expect(try folder.entries() == ["a name.bin"])
        #expect(try folder.read("a name.bin") == content)
    }

    @Test func `without a name of the server, the URL names the file`() async throws {
        let folder = try TemporaryFolder()
        let server = try RangeServer { _, request in RangeServer.correct(request, [1, 2]) }

        let result = try await Download(Request(.get, server.url("/a%20b.bin?x")), in: folder.path + "/")
            .run(with: Kernel())

        #expect(result.file == folder.file("a b.bin"))
        #expect(try folder.read("a b.bin") == [1, 2])
    }

    @Test(arguments: [true, false])
    func `a name of the server that is there already is replaced only if asked`(replaces: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("taken", "earlier")
        let server = try RangeServer { _, _ in .init(200, [("Content-Disposition", "attachment; filename=taken")], [1])
        }
        var download = Download(Request(.get, server.url("/x")), in: folder.path)
        download.replacesFile = replaces

        let result = try? await download.run(with: Kernel())

        #expect((result != nil) == replaces)
        #expect(try folder.read("taken") == (replaces ? [1] : Array("earlier".utf8)))
    }

    @Test func `a name of the server never replaces a file of the folder by itself, and leaves nothing`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("taken", "earlier")
        let server = try RangeServer { _, _ in .init(200, [("Content-Disposition", "attachment; filename=taken")], [1])
        }

        let error = await #expect(throws: PlugboardError.self) {
            try await Download(Request(.get, server.url("/x")), in: folder.path).run(with: Kernel())
        }

        #expect(error?.code == .downloadExists)
        #expect(try folder.entries() == ["taken"])
        #expect(try folder.read("taken") == Array("earlier".utf8))
    }

    @Test func `a folder of the server's name is not replaced`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("taken/file", "earlier")
        let server = try RangeServer { _, _ in .init(200, [("Content-Disposition", "attachment; filename=taken")], [1])
        }

        let error = await #expect(throws: PlugboardError.self) {
            var download = Download(Request(.get, server.url("/x")), in: folder.path)
            download.replacesFile = true
            try await download.run(with: Kernel())
        }

        #expect(error?.code == .downloadWrite)
        #expect(try folder.read("taken/file") == Array("earlier".utf8))
    }

    @Test(arguments: [
        ("http://a.test/file.iso", "file.iso"), ("http://a.test/", "download"), ("http://a.test", "download"),
        ("http://a.test/a/..", "download"), ("http://a.test/%2e%2e%2fetc%2fpasswd", "_etc_passwd"),
        ("http://a.test/.bashrc", "bashrc"), ("http://a.test/a%00b%0a", "a_b_"), ("http://a.test/a%5Cb", "a_b"),
        ("http://a.test/-rf", "rf"), ("http://a.test/%E2%80%AEgpj.exe", "_gpj.exe"), ("http://a.test/%ff", "\u{FFFD}"),
        ("http://a.test/x?y=/z", "x"),
    ])
    func `names of files are safe`(url: String, name: String) {
        #expect(SafeName.from(url: url) == name)
    }

    @Test func `a name of millions of dots is made safe in linear time`() {
        let time = ContinuousClock().measure {
            #expect(SafeName.from(name: String(repeating: ".", count: 4_000_000) + "a") == "a")
            #expect(SafeName.from(name: String(repeating: "ä/", count: 1_000_000)) == nil)
        }
        // Each byte moved once for each other would take hours.
        #expect(time < .seconds(30))
    }

    @Test func `a long name leaves room for the partial file's`() {
        #expect(SafeName.from(url: "http://a.test/" + String(repeating: "a", count: 999)).utf8.count == 200)
    }

    @Test(arguments: ["a", "ä", "\u{0}", "\u{1F600}"])
    func `a long name keeps its ending when it is cut`(character: String) throws {
        let name = String(repeating: character, count: 5000)

        let made = try #require(SafeName.from(name: name + ".tar.gz"))

        #expect(made.hasSuffix(".gz") && made.utf8.count <= 200 && made.utf8.count > 190)
        #expect(try #require(SafeName.from(name: "a." + name)).utf8.count <= 200)
    }
}
