import Foundation
import PlugboardMessages
import TestSupport
import Testing

@testable import PlugboardCommand

/// Servers that name Metalink documents.
extension DownloadCommandTests {
    @Test func `a URL of a Metalink document is followed only where the user says so`() async throws {
        let server = try RangeServer { [content] _, request in
            let host = request["Host"] ?? ""
            switch request.path {
            case "/list":
                let text = DownloadCommandTests.metalink("a", "http://\(host)/a")
                return .init(200, [("Content-Type", "application/metalink4+xml")], Array(text.utf8))
            case "/linked":
                var reply = RangeServer.correct(request, content)
                reply.fields.append(("Link", "</list>; rel=describedby; type=\"application/metalink4+xml\""))
                return reply
            default: return RangeServer.correct(request, content)
            }
        }
        for path in ["/list", "/linked"] {
            let folder = try TemporaryFolder()
            let target = folder.path + "/"

            let plain = try await Command.run("download", server.url(path), "-o", target)
            let followed = try await Command.run("download", server.url(path), "-o", target, "--follow-metalink")

            #expect(plain.status == 0 && plain.stderr.contains("plugboard download --metalink "), "\(plain.stderr)")
            #expect(followed.status == 0, "\(followed.stderr)")
            #expect(try folder.read("a") == content)
            #expect(try folder.entries().count == 2)
        }
    }

    /// Names a Metalink document of another server.
    private func naming(_ document: String) throws -> RangeServer {
        try RangeServer { [content] _, request in
            var reply = RangeServer.correct(request, content)
            reply.fields.append(("Link", "<\(document)>; rel=describedby; type=\"application/metalink4+xml\""))
            return reply
        }
    }

    @Test(arguments: [true, false])
    func `a checksum is of the URL's own file, whatever document its server names`(isRight: Bool) async throws {
        let server = try naming("/list")
        let folder = try TemporaryFolder()
        let digest = isRight ? Bytes(content).sha256 : String(repeating: "0", count: 64)

        let outcome = try await Command.run(
            "download", server.url("/own"), "-o", folder.path + "/", "--follow-metalink", "--checksum",
            "sha-256=\(digest)")

        #expect(outcome.status == (isRight ? 0 : 107), "\(outcome.stderr)")
        #expect(try folder.entries() == (isRight ? ["own"] : []))
        #expect(server.requests.allSatisfy { $0.path == "/own" })
    }

    @Test func `fields of the command line do not go to an origin that a server names`() async throws {
        let other = try RangeServer { [content] _, request in
            let text = DownloadCommandTests.metalink("a", "http://\(request["Host"] ?? "")/a")
            return request.path == "/list" ? .init(200, [], Array(text.utf8)) : RangeServer.correct(request, content)
        }
        let server = try naming(other.url("/list"))
        let folder = try TemporaryFolder()

        let outcome = try await Command.run(
            "download", server.url("/own"), "-o", folder.path + "/", "--follow-metalink", "-H", "X-Key: secret")

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(try folder.read("a") == content)
        #expect(server.requests.allSatisfy { $0["X-Key"] == "secret" } && !server.requests.isEmpty)
        #expect(other.requests.allSatisfy { $0["X-Key"] == nil } && other.requests.count >= 2)
    }

    static func metalink(_ name: String, _ urls: String...) -> String {
        "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"\(name)\">"
            + "<size>50000</size>\(urls.map { "<url>\($0)</url>" }.joined())</file></metalink>"
    }
}
