import Foundation
import PlugboardMessages
import TestSupport
import Testing

@testable import PlugboardCommand

/// Options of `plugboard download` in aria2's and wget's spellings.
struct DownloadHabitTests {
    private let content = RangeServer.content(3_000_000)
    private let server: RangeServer
    private let folder: TemporaryFolder

    init() throws {
        server = try RangeServer { [content] _, request in
            switch request.path {
            case "/moved": return .init(302, [("Location", "/end")], [])
            case let path where path.hasPrefix("/named"):
                var reply = RangeServer.correct(request, content)
                reply.fields.append(("Content-Disposition", "attachment; filename=own"))
                return reply
            default: return RangeServer.correct(request, content)
            }
        }
        folder = try TemporaryFolder()
    }

    private func download(_ words: String...) async throws -> ProcessRunner.Outcome {
        try await Command.running(["download"] + words)
    }

    @Test(arguments: [
        (["-x", "4", "URL"], ["--max-connection-per-server", "4", "URL"]),
        (["-x16"], ["--max-connection-per-server", "16"]),
        (["-x", "proxy:1"], ["-x", "proxy:1"]), (["-s", "4"], ["--split", "4"]), (["-s4"], ["--split", "4"]),
        (["-s", "http://a.test/"], ["-s", "http://a.test/"]), (["-sS"], ["-sS"]),
        (["-k", "1M"], ["--min-split-size", "1M"]), (["-k1M"], ["--min-split-size", "1M"]),
        (["-k", "http://a.test/"], ["-k", "http://a.test/"]), (["-kL"], ["-kL"]),
        (["-c", "http://a.test/"], ["--continue", "http://a.test/"]), (["-c"], ["--continue"]),
        (["-c", "-s"], ["--continue", "-s"]), (["-c", "jar"], ["-c", "jar"]), (["-c", "-"], ["-c", "-"]),
        (["-j2", "-Pnew"], ["-j", "2", "-P", "new"]), (["--continue=true"], ["--continue"]),
        (["--continue=false", "a"], ["a"]),
        (["--allow-overwrite=true"], ["--allow-overwrite"]), (["-o", "-s4"], ["-o", "-s4"]),
        (["--", "-c", "-x", "4"], ["--", "-c", "-x", "4"]),
        (["-O", "http://a.test/", "b.test"], ["-O", "http://a.test/", "b.test"]),
        (["-LO", "a.test/b", "-s"], ["-LO", "a.test/b", "-s"]), (["-oO", "a", "b"], ["-oO", "a", "b"]),
    ])
    func `what follows a letter decides whether it is aria2's or curl's`(words: [String], meant: [String]) throws {
        #expect(try DownloadWords.rewritten(["download"] + words) == ["download"] + meant)
        #expect(try DownloadWords.rewritten(["get"] + words) == ["get"] + words)
    }

    @Test(arguments: [["-O", "FILE"], ["-O", "-"], ["-qO", "FILE", "-c"], ["-qO-"]])
    func `a file after wget's -O is no URL`(words: [String]) async throws {
        let outcome = try await Command.running(["download"] + words + [server.url("/file"), "-d", folder.path])

        #expect(outcome.status == 2 && outcome.stderr.contains("Write -o FILE"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a command line of aria2 downloads in several parts into a folder`() async throws {
        // The limit keeps the first response from ending before the others have begun.
        let outcome = try await download(
            "-x4", "-s4", "-j2", "-c", "-d", folder.path, "-o", "out", "--checksum=sha-256=\(Bytes(content).sha256)",
            "--max-download-limit=2M", "--max-tries=3", "--allow-overwrite=true", "-q", "--header=X-A: 1",
            server.url("/file"))

        #expect(outcome.status == 0 && outcome.stdout.isEmpty && outcome.stderr.isEmpty, "\(outcome.stderr)")
        #expect(try folder.read("out") == content)
        #expect(server.requests.count > 1 && server.requests.allSatisfy { $0["X-A"] == "1" })
    }

    @Test func `aria2's least size of a part is no permission for any certificate`() async throws {
        let outcome = try await download("-x16", "-s16", "-k", "1M", server.url("/file"), "-o", folder.file("out"))

        #expect(outcome.status == 2 && outcome.stderr.contains("--min-split-size'. Leave it out"), "\(outcome.stderr)")
        #expect(server.requests.isEmpty)
    }

    @Test func `a command line of wget downloads into a folder that is made`() async throws {
        let outcome = try await download(
            "-P", folder.file("new/deep"), "--create-dirs", "-q", "-t", "2", server.url("/file"))

        #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome.stderr)")
        #expect(try folder.read("new/deep/file") == content)
    }

    @Test func `redirects are followed unless they are not to be`() async throws {
        let followed = try await download(server.url("/moved"), "-o", folder.file("a"))
        let refused = try await download(server.url("/moved"), "-o", folder.file("b"), "--no-location")
        let config = try folder.write(
            "off.json", #"{"plugins": [{"id": "redirect", "enabled": false}]}"#)
        let off = try await download(server.url("/moved"), "-o", folder.file("c"), "--config", config)
        let set = try await download(server.url("/moved"), "-o", folder.file("d"), "--set", "redirect.limit=0")

        #expect(followed.status == 0 && refused.status == 22 && off.status == 22 && set.status == 47, "\(set.stderr)")
        #expect(try folder.read("a") == content)
    }

    @Test func `a name that is taken gets a number with --auto-file-renaming`() async throws {
        func run(_ words: String...) async throws -> Int32 {
            let outcome = try await Command.running(["download", "--auto-file-renaming"] + words)
            #expect(outcome.status == 0, "\(outcome.stderr)")
            return outcome.status
        }

        _ = try await run(server.url("/a/x"), server.url("/b/x"), "-o", folder.path)
        _ = try await run(server.url("/c/x"), "-o", folder.path)
        _ = try await run(server.url("/d/x"), "-o", folder.file("x"))
        _ = try await run(server.url("/named1"), server.url("/named2"), "-o", folder.path, "--parallel", "1")
        _ = try await run(server.url("/named3"), "-o", folder.path)

        #expect(try folder.entries() == ["own", "own.1", "own.2", "x", "x.1", "x.2", "x.3"])
        for name in try folder.entries() { #expect(try folder.read(name) == content, "\(name)") }
    }

    @Test func `the error of two URLs with one name names both`() async throws {
        let outcome = try await download(server.url("/a/x?k=secret"), server.url("/b/x"), "-o", folder.path)

        #expect(outcome.status == 2 && server.requests.isEmpty)
        #expect(
            outcome.stderr.contains(
                "\(server.url("/a/x"))?k=… and \(server.url("/b/x")). Download them into two folders"),
            "\(outcome.stderr)")
        #expect(outcome.stderr.contains("--auto-file-renaming"))
    }

    @Test func `a part of another URL of the same file is continued with --moved alone`() async throws {
        let breaking = try RangeServer { [content] number, request in
            number <= 5 ? .init(200, [("ETag", "\"a\"")], content, cut: 10_000) : RangeServer.correct(request, content)
        }
        let words = ["download", breaking.url("/new"), "-o", folder.file("file"), "--resume", "--moved"]

        _ = try await Command.run("download", breaking.url("/old"), "-o", folder.file("file"))
        let outcome = try await Command.running(words)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(breaking.requests.last?["Range"] == "bytes=10000-" && breaking.requests.last?.path == "/new")
        #expect(try folder.read("file") == content)
    }

    @Test func `each file must have the digest of the line with its name`() async throws {
        let right = Bytes(content).sha256
        let wrong = String(repeating: "0", count: 64)
        let sums = try folder.write(
            "SHA256SUMS", "# comment\n\(right)  a\n\(wrong) *dir/b\nSHA256 (c) = \(right)\n")

        let one = try await download(server.url("/a"), server.url("/c"), "-o", folder.path, "--checksums", sums)
        let other = try await download(server.url("/b"), "-o", folder.path, "--checksums", sums)
        let absent = try await download(server.url("/d"), "-o", folder.path, "--checksums", sums)

        #expect(one.status == 0 && other.status == 107, "\(one.stderr)\(other.stderr)")
        #expect(absent.status == 2 && absent.stderr.contains("no line has the name d"), "\(absent.stderr)")
        #expect(try folder.entries() == ["SHA256SUMS", "a", "c"])
    }

    @Test func `a list has mirrors after tabs, and names and digests on lines of their own`() async throws {
        let list = try folder.write(
            "list",
            "\(server.url("/a"))\thttp://127.0.0.1:1/a\r\n  out=first\n\tchecksum=sha-256=\(Bytes(content).sha256)\n"
                + "# comment\n\(server.url("/b?x=1"))\n")
        let bad = try folder.write("bad", "\(server.url("/a"))\n  header=X: secret\n")

        let outcome = try await download("-i", list, "-d", folder.path, "--progress", "json")
        let refused = try await download("-i", bad, "-d", folder.path)

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.entries() == ["b", "bad", "first", "list"])
        #expect(outcome.stdout.contains("\"isVerified\":true"))
        #expect(refused.status == 2 && refused.stderr.contains("line 2: the option header is not known"))
        #expect(!refused.stderr.contains("secret"))
    }

    @Test func `options of output work as on other verbs`() async throws {
        let silent = try await download(server.url("/a"), "-sS", "-o", folder.file("a"))
        let verbose = try await download(server.url("/a"), "-v", "-o", folder.file("b"), "-u", "me:geheim")
        let failed = try await download("http://127.0.0.1:1/", "-sfS", "-o", folder.file("c"), "-t", "1")
        let printed = try await download("http://a.test/x", "-A", "a", "--print-curl", "-d", folder.path, "-c")

        #expect(silent.status == 0 && silent.stderr.isEmpty)
        #expect(verbose.stderr.contains("> GET ") && verbose.stderr.contains("< HTTP/1.1 200"), "\(verbose.stderr)")
        #expect(!verbose.stderr.contains("geheim"))
        #expect(failed.status == 7 && failed.stderr.hasPrefix("plugboard: "), "\(failed.stderr)")
        #expect(
            printed.stdout == "curl -A a -L --max-redirs 20 -f -OJ --output-dir \(folder.path)/ -C - http://a.test/x\n",
            "\(printed.stdout)\(printed.stderr)")
    }

    @Test func `a URL of a list that cannot be read is told with its line`() async throws {
        let list = try folder.write("list", "# none\nhttp://exa mple/\n")

        let outcome = try await download("-i", list, "-d", folder.path)

        #expect(outcome.status == 3)
        #expect(outcome.stderr.contains("--input-file \(list), line 2: The request's URL has"), "\(outcome.stderr)")
    }
}
