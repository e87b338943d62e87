import Plugboard
import Synchronization
import TestSupport
import Testing

@testable import PlugboardResume

/// What progress and the log count of bodies that are mended.
struct ResumeProgressTests {
    private let content = RangeServer.content(100_000)

    @Test(arguments: Linkage.allCases, [false, true])
    func `progress counts all bytes of a body that was mended`(linkage: Linkage, isChunked: Bool) async throws {
        let server = try RangeServer { [content] number, request in
            var reply = RangeServer.correct(request, content, cut: number < 3 ? 40_000 : nil)
            reply.isChunked = isChunked
            return reply
        }
        let seen = Mutex<[TransferProgress]>([])
        let kernel = try linkage.kernel(resumePlugin())

        let response = try await kernel.send(Request(.get, server.url)) { notice in
            if case .progress(let progress) = notice { seen.withLock { $0.append(progress) } }
        }
        let body = try await response.body.collect(upTo: .mebibytes(1))
        await kernel.shutDown()

        let all = seen.withLock { $0 }
        #expect(body.array == content && server.requests.count == 3)
        #expect(all.last?.received == 100_000 && all.last?.toReceive == 100_000, "\(all)")
        #expect(all.map(\.received) == all.map(\.received).sorted(), "\(all)")
        let totals = all.dropLast().map(\.toReceive)
        #expect(totals.allSatisfy { $0 == (isChunked ? nil : 100_000) }, "\(all)")
    }

    @Test func `progress counts a body that is sent once more from its beginning, or held, or not mended, once`()
        async throws
    {
        func last(_ plugins: [PluginEntry], second: RangeServer.Reply) async throws -> TransferProgress? {
            let server = try RangeServer { [content] number, request in
                number == 1 ? .init(200, [("ETag", "\"a\"")], content, cut: 40_000) : second
            }
            let last = Mutex<TransferProgress?>(nil)
            let kernel = try Kernel(plugins: plugins)
            var request = Request(.get, server.url)
            request.resume.attempts = 1
            let response = try? await kernel.send(request) { notice in
                if case .progress(let progress) = notice { last.withLock { $0 = progress } }
            }
            _ = try? await response?.body.collect(upTo: .mebibytes(1))
            await kernel.shutDown()
            return last.withLock { $0 }
        }
        let whole = RangeServer.Reply(200, [("ETag", "\"a\"")], content)
        let holder = PluginEntry.hooks(
            "holder", priority: 300,
            onResponse: { exchange in
                exchange.visit == .first ? .hold(upTo: .mebibytes(1)) : .next
            })

        let repeated = try await last([.resume], second: whole)
        let held = try await last([holder, .resume], second: whole)
        let broken = try await last([.resume], second: .init(503))

        #expect(repeated?.received == 100_000 && repeated?.toReceive == 100_000)
        #expect(held?.received == 100_000 && held?.toReceive == 100_000)
        #expect(broken?.received == 40_000 && broken?.toReceive == 100_000)
    }

    @Test func `the log counts all bytes of a body that was mended`() async throws {
        let server = try RangeServer { [content] number, request in
            RangeServer.correct(request, content, cut: number == 1 ? 40_960 : nil)
        }
        let lines = Record()
        let kernel = try Kernel(
            plugins: [.logging, .resume],
            log: KernelLog(level: .info) { _, source, text in if source == "logging" { lines.add(text) } })

        _ = try await kernel.send(Request(.get, server.url)).body.collect(upTo: .mebibytes(1))
        await kernel.shutDown()

        #expect(lines.lines.count == 1 && lines.lines.first?.contains(" → 200 97.7 KiB in ") == true)
    }
}
