import Foundation
import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardDownloads

/// Digests, sizes and limits of files.
struct DownloadDigestTests {
    private let scene: DownloadScene
    private var content: [UInt8] { scene.content }
    private var folder: TemporaryFolder { scene.folder }
    private var path: String { scene.path }

    init() throws { scene = try DownloadScene() }

    @Test func `a file with another digest is not put in place`() async throws {
        let server = try scene.serving()
        var download = Download(Request(.get, server.url), to: path)
        download.digest = ExpectedDigest("sha-256=" + String(repeating: "0", count: 64))

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .downloadDigest)
        #expect(try folder.entries() == [])
    }

    @Test func `a file of another size is not put in place`() async throws {
        let server = try scene.serving()
        var download = Download(Request(.get, server.url), to: path)
        download.size = .bytes(99_999)

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .downloadDigest && error?.reason.contains("99999") == true)
        #expect(try folder.entries() == [])
    }

    @Test(arguments: [
        "Repr-Digest: sha-256=:VALUE:", "Digest: md5=x, SHA-256=VALUE", "Content-Digest: sha-256=:VALUE:",
    ])
    func `the server's digest is checked, over the bytes of all responses`(field: String) async throws {
        let parts = field.split(separator: ":", maxSplits: 1).map(String.init)
        let digest = Bytes(content).sha256
        let bytes = stride(from: 0, to: 64, by: 2).map { offset in
            UInt8(digest.dropFirst(offset).prefix(2), radix: 16) ?? 0
        }
        let value = parts[1].dropFirst().replacingOccurrences(of: "VALUE", with: Data(bytes).base64EncodedString())
        for isRight in [true, false] {
            let server = try RangeServer { [content] number, request in
                var reply = RangeServer.correct(
                    request, isRight ? content : RangeServer.content(100_000, seed: 5), cut: number == 1 ? 777 : nil)
                if reply.status == 200 || parts[0] != "Content-Digest" { reply.fields.append((parts[0], value)) }
                return reply
            }

            let result = try? await Kernel().download(server.url, to: path)

            // In the last row, only the first response has told it.
            #expect((result != nil) == isRight && result?.isVerified ?? true)
            folder.removeEntries()
        }
    }

    @Test func `a server that sends without end is stopped at the limit`() async throws {
        let server = try LoopbackServer(.endlessBody())
        var download = Download(Request(.get, server.url()), to: path)
        download.limit = .mebibytes(1)

        let error = await #expect(throws: PlugboardError.self) { try await download.run(with: Kernel()) }

        #expect(error?.code == .bodyLimit)
        #expect(try folder.entries() == [])
    }
}

extension TemporaryFolder {
    fileprivate func removeEntries() {
        for name in (try? entries()) ?? [] { try? FileManager.default.removeItem(atPath: file(name)) }
    }
}
