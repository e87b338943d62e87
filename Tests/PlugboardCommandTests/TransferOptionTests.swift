import Foundation
import TestSupport
import Testing

/// Options of curl on `download`, `upload`, `call` and `explain`.
struct TransferOptionTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer.responding { request in
            let fields = [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("X-Api-Key", "geheim")]
            switch (request.method, request.path) {
            case (_, "/moved"): return ServerResponse(status: 302, fields: [("Location", "/file")])
            case (_, "/missing"): return ServerResponse(status: 404)
            case ("GET", _) where request["If-Modified-Since"] != nil:
                return ServerResponse(status: 304, fields: fields)
            default: return ServerResponse(fields: fields, body: "content")
            }
        }
    }

    private func run(_ words: String...) async throws -> ProcessRunner.Outcome { try await Command.running(words) }

    private func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }

    private func silentlyUploading(to path: String) throws -> [String] {
        ["upload", try folder.write("source", "text"), server.url(path), "-s", "--resumable", "none"]
    }

    // MARK: What is told

    @Test func `a download tells its facts and its heads`() async throws {
        let outcome = try await run(
            "download", server.url("/moved"), "-o", folder.file("file"), "-s", "-D", folder.file("heads"), "-w",
            "%{http_code} %{size_download} %{num_redirects} %{filename_effective}")

        #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(outcome.stderr)")
        #expect(outcome.stdout == "200 7 1 \(folder.file("file"))")
        let heads = try text("heads")
        #expect(heads.hasPrefix("HTTP/1.1 302 ") && heads.contains("\r\n\r\nHTTP/1.1 200 "), "\(heads)")
    }

    @Test func `an upload tells its facts, its heads and what is sent`() async throws {
        let outcome = try await Command.running(
            silentlyUploading(to: "/up") + ["-D", folder.file("heads"), "-w", "|%{http_code} %{size_upload}"])
        let verbose = try await run(
            "upload", folder.file("source"), server.url("/up"), "-v", "--resumable", "none", "-u", "me:geheim")

        #expect(outcome.status == 0 && outcome.stdout == "content|200 4", "\(outcome.stdout)\(outcome.stderr)")
        #expect(try text("heads").hasPrefix("HTTP/1.1 200 "))
        #expect(verbose.stderr.contains("> PUT /up HTTP/1.1") && verbose.stderr.contains("< HTTP/1.1 200"))
        #expect(!verbose.stderr.contains("geheim"), "\(verbose.stderr)")
    }

    @Test func `the facts are told after a failure, too`() async throws {
        let format = ["-w", "%{http_code} %{exitcode}"]
        let download = try await Command.running(
            ["download", server.url("/missing"), "-o", folder.file("file"), "-sSf"] + format)
        let upload = try await Command.running(silentlyUploading(to: "/missing") + ["-S", "--fail"] + format)
        let unasked = try await Command.running(
            ["upload", folder.file("source"), "http://127.0.0.1:1/", "-s"] + format)

        #expect(download.status == 22 && download.stdout == "404 22", "\(download.stdout)")
        #expect(upload.status == 22 && upload.stdout == "404 22", "\(upload.stdout)")
        #expect(unasked.status == 7 && unasked.stdout == "000 7", "\(unasked.stdout)")
    }

    @Test func `secrets of heads are shown with --show-secrets alone`() async throws {
        let words = ["download", server.url("/file"), "-o", folder.file("a"), "--overwrite", "-v", "-u", "me:pw"]

        let hidden = try await Command.running(words).stderr
        let shown = try await Command.running(words + ["--show-secrets"]).stderr

        #expect(!hidden.contains("geheim") && !hidden.contains("bWU6cHc="), "\(hidden)")
        #expect(shown.contains("< X-Api-Key: geheim") && shown.contains("> Authorization: Basic bWU6cHc="), "\(shown)")
    }

    @Test func `a trace is written to its file, and errors to theirs`() async throws {
        let outcome = try await run(
            "download", server.url("/missing"), "-o", folder.file("a"), "-v", "--trace-ascii", folder.file("trace"),
            "--stderr", folder.file("errors"))

        #expect(outcome.status == 22 && outcome.stderr.isEmpty, "\(outcome.stderr)")
        #expect(try text("trace").contains("<= Recv header, ") && text("errors").contains("404"))
    }

    @Test func `a printed request has the options of the transfer`() async throws {
        let download = try await run(
            "download", "http://a.test/x", "-o", folder.file("x"), "-R", "-w", "%{url}", "-D", "-", "--print-curl")
        let upload = try await Command.running(silentlyUploading(to: "/x") + ["-Y", "5", "--print-curl"])

        #expect(download.stdout.contains(" -R --dump-header - --write-out '%{url}' "), "\(download.stdout)")
        #expect(upload.stdout.contains(" --speed-limit 5 "), "\(upload.stdout)")
    }

    // MARK: Times

    @Test func `a file gets the time of the server's, and stays while that has nothing newer`() async throws {
        let words = ["download", server.url("/file"), "-o", folder.file("file"), "-R", "--overwrite"]
        let first = try await Command.running(words)
        let date = try FileManager.default.attributesOfItem(atPath: folder.file("file"))[.modificationDate] as? Date
        try folder.write("file", "kept")
        let second = try await Command.running(words + ["-z", folder.file("file")])

        #expect(first.status == 0 && date?.timeIntervalSince1970 == 784_111_777, "\(first.stderr)")
        #expect(second.status == 0 && second.stderr.contains("nothing newer"), "\(second.stderr)")
        #expect(try text("file") == "kept")
    }

    @Test(arguments: [["-Y", "1000", "-y", "1"], ["-y", "1"]])
    func `a download that is too slow ends with 28`(options: [String]) async throws {
        let gate = Gate()
        let slow = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx")
            // Until the client closes the connection.
            while options.count > 2 {
                try connection.write("x")
                try? connection.wait(for: gate, timeout: .milliseconds(100))
            }
            try connection.wait(for: gate, timeout: .seconds(30))
        }

        let outcome = try await Command.running(
            ["download", slow.url("/a"), "-o", folder.file("a"), "-t", "1"] + options)

        #expect(outcome.status == 28, "\(outcome.stderr)")
    }

    // MARK: Credentials and proxies

    @Test func `name and password of a file are sent by all verbs`() async throws {
        let netrc = try folder.write("netrc", "machine 127.0.0.1 login ada password pw\n")
        let definitions = try folder.write(
            "definitions.json", #"{"It": {"base": "\#(server.url(""))", "path": "/it"}}"#)
        let lines = [
            ["download", server.url("/file"), "-o", folder.file("file")], try silentlyUploading(to: "/up"),
            ["call", "It", "--definitions", definitions], ["explain", server.url("/file")],
        ]

        for line in lines {
            let outcome = try await Command.running(line + ["--netrc-file", netrc])
            #expect(outcome.status == 0, "\(line) \(outcome.stderr)")
        }

        #expect(server.requests.map { $0["Authorization"] } == Array(repeating: "Basic YWRhOnB3", count: 4))
    }

    @Test func `a proxy gets its credentials from downloads and uploads`() async throws {
        let proxy = ["-x", "127.0.0.1:\(server.port)", "-U", "me:a@b"]
        let download = try await Command.running(
            ["download", "http://far.test/file", "-o", folder.file("file")] + proxy)
        let upload = try await Command.running(
            ["upload", try folder.write("source", "text"), "http://far.test/", "--resumable", "none"] + proxy)

        #expect(download.status == 0 && upload.status == 0, "\(download.stderr)\(upload.stderr)")
        let value = "Basic \(Data("me:a@b".utf8).base64EncodedString())"
        #expect(server.requests.map { $0["Proxy-Authorization"] } == [value, value])
    }
}
