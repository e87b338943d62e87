import Foundation
import PlugboardJSON
import TestSupport
import Testing

@testable import PlugboardCommand

struct DownloadCommandTests {
    private let content = RangeServer.content(50_000)

    @Test func `download writes a file named after the URL, and does not replace one`() async throws {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        let folder = try TemporaryFolder()
        let url = server.url("/a/na%20me.iso?token=x")

        let first = try await Command.run("download", url, "-o", folder.path)
        let second = try await Command.run("download", url, "-o", folder.path)
        let third = try await Command.run("download", url, "-o", folder.path, "--overwrite")

        #expect(first.status == 0 && second.status == 23 && third.status == 0, "\(first.stderr) \(third.stderr)")
        #expect(second.stderr.contains("--overwrite"))
        #expect(try folder.entries() == ["na me.iso"])
        #expect(try folder.read("na me.iso") == content)
        #expect(first.stdout.isEmpty)
    }

    @Test func `a download that broke is continued with resume`() async throws {
        let server = try RangeServer { [content] number, request in
            number <= 5 ? .init(200, [("ETag", "\"a\"")], content, cut: 10_000) : RangeServer.correct(request, content)
        }
        let folder = try TemporaryFolder()

        let broken = try await Command.run("download", server.url, "-o", folder.file("file"))
        let outcome = try await Command.run("download", server.url, "-o", folder.file("file"), "--resume")

        #expect(broken.status == 18 && broken.stderr.contains("--resume"), "\(broken.stderr)")
        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(server.requests.last?["Range"] == "bytes=10000-")
        #expect(try folder.read("file") == content)
    }

    @Test func `a wrong checksum has a status of its own, and leaves nothing`() async throws {
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        let folder = try TemporaryFolder()
        let digest = "sha-256=" + String(repeating: "0", count: 64)

        let outcome = try await Command.run(
            "download", server.url, "-o", folder.file("file"), "--checksum", digest)

        #expect(outcome.status == 107)
        #expect(try folder.entries() == [])
    }

    @Test func `a mirror is asked when the first server fails`() async throws {
        let broken = try RangeServer { _, _ in .init(503) }
        let server = try RangeServer { [content] _, request in RangeServer.correct(request, content) }
        let folder = try TemporaryFolder()

        let outcome = try await Command.run(
            "download", broken.url, "-o", folder.file("file"), "--mirror", server.url)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.read("file") == content)
    }

    @Test func `many files come from a list, with progress as lines of JSON`() async throws {
        let server = try RangeServer { [content] _, request in
            request.path == "/2" ? .init(404) : RangeServer.correct(request, content)
        }
        let folder = try TemporaryFolder()
        let list = try folder.write("list", (1...6).map { server.url("/\($0)") + "\n" }.joined() + "# comment\n")

        let outcome = try await Command.run(
            "download", "--input-file", list, "-o", folder.path + "/", "--progress", "json")

        #expect(outcome.status == 22)
        for index in [1, 3, 4, 5, 6] { #expect(try folder.read("\(index)") == content) }
        let lines = try outcome.stdout.split(separator: "\n").map { try JSONParser.parse(String($0)) }
        #expect(lines.filter { $0["isComplete"] == true }.count == 5)
        #expect(lines.filter { $0["isComplete"] == false }.count == 1)
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

    @Test func `a long name leaves room for the partial file's`() {
        #expect(SafeName.from(url: "http://a.test/" + String(repeating: "a", count: 999)).utf8.count == 200)
    }

    @Test(arguments: [
        [], ["http://a.test/", "http://b.test/", "-o", "/absent"], ["http://a.test/x", "http://b.test/x"],
        ["http://a.test/", "--checksum", "md5=1"], ["http://a.test/", "--progress", "dots"],
        ["http://a.test/", "--parallel", "0"],
    ])
    func `arguments that do not fit are refused`(arguments: [String]) async throws {
        let outcome = try await Command.running(["download"] + arguments)

        #expect(outcome.status == 2 && !outcome.stderr.isEmpty)
    }
}
