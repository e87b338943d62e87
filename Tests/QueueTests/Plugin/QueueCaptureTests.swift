import Plugboard
import PlugboardJSON
import TestSupport
import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// Callers that go away, passwords in URLs, and tickets of the program's own.
@Suite(.timeLimit(.minutes(2)))
struct QueueCaptureTests {
    @Test func `a caller that cancels while its request is written leaves nothing in the journal`() async throws {
        let shore = try Shore()
        shore.isOnline = true
        let kernel = try shore.kernel()
        let large = String(repeating: "x", count: 600_000)

        for round in 0..<40 {
            let sending = Task {
                var request = Shore.post("\(round)", category: "c", body: round % 2 == 0 ? large : nil)
                request.queue.mode = .journal
                return try await kernel.send(request).status
            }
            for _ in 0..<round * 3 { await Task.yield() }
            sending.cancel()
            _ = try? await sending.value
        }

        // Also what is being written, which the statistics do not count.
        while try await kernel.queue.statistics().sending > 0 { await Task.yield() }
        var last = Shore.post("last", category: "c")
        last.queue.mode = .journal
        #expect(try await kernel.send(last).status == 200)
        while try await kernel.queue.statistics().bytes > 0 { await Task.yield() }
        #expect(try await kernel.queue.list().filter { $0.state != .done }.isEmpty)
        await kernel.shutDown()
    }

    @Test func `passwords in URLs are neither stored nor shown, and the proxy stays`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false])
        var request = Request(.post, "http://user:secret@a.test/x?token=hidden")
        request.queue.mode = .later
        request.queue.id = "one"
        request.options.proxy = "http://me:secret@proxy.test:3128"

        _ = try await kernel.sendLater(request)

        guard case .json(let shown) = try await kernel.command("queue", "show", #"{"id": "one"}"#) else {
            return #expect(Bool(false))
        }
        let file = try shore.folder.read("queue.sqlite") + ((try? shore.folder.read("queue.sqlite-wal")) ?? [])
        let text = String(decoding: file, as: UTF8.self)
        #expect(!text.contains("secret") && text.contains("http://proxy.test:3128"))
        #expect(!shown.contains("secret") && !shown.contains("hidden"))
        await kernel.shutDown()
    }

    @Test(arguments: [
        ("http://u:p@a.test/", "http://a.test/"), ("http://a.test/@x?u:p@b", "http://a.test/@x?u:p@b"),
        ("u:p@proxy:3128", "proxy:3128"), ("proxy:3128", "proxy:3128"), ("http://u@v@a.test", "http://a.test"),
        ("", ""),
    ])
    func `userinfo is removed from the authority alone`(url: String, expected: String) {
        #expect(CapturedHead.withoutUserinfo(url) == expected)
    }

    @Test func `a ticket of the program's own can have spaces`() async throws {
        let shore = try Shore()
        let kernel = try shore.kernel(settings: ["automatic": false])
        var request = Shore.post("a")
        request.queue.id = "order 7"

        let ticket = try await kernel.sendLater(request)
        let again = try await kernel.sendLater(request)

        #expect(ticket == "order 7" && again == "order 7")
        #expect(try await kernel.queue.list(id: ticket).count == 1)
        await kernel.shutDown()
    }

    @Test func `an origin's section does not queue the sub-requests of other plugins`() async throws {
        let shore = try Shore()
        let codes = Record()
        let asker = ScriptedPlugin("asker", priority: 400)
        asker.onRequest = { [asker] _ in
            let host = asker.host
            return .wait {
                do {
                    _ = try await host?.send(
                        Request(.post, "http://a.test/token"), for: nil, from: .outermost, isDetached: true)
                } catch {
                    codes.add((error as? PlugboardError)?.code.name ?? "")
                }
                return { _ in .next }
            }
        }
        var section = Attributes()
        section["queue.mode"] = "onFailure"
        let kernel = try shore.kernel(
            origins: [#require(Origin(url: "http://a.test/")): section], beside: [asker])

        _ = try await Shore.queue(Shore.post("a"), in: kernel)

        #expect(codes.lines == ["transport.connect"])
        await kernel.shutDown()
    }

    @Test func `a sub-request of another plugin is not queued`() async throws {
        let shore = try Shore()
        let codes = Record()
        let asker = ScriptedPlugin("asker", priority: 400)
        asker.onRequest = { [asker] exchange in
            let host = asker.host
            return .wait {
                do {
                    _ = try await host?.send(
                        Request(.post, "http://a.test/token"), for: nil, from: .outermost, isDetached: true)
                } catch {
                    codes.add((error as? PlugboardError)?.code.name ?? "")
                }
                return { _ in .next }
            }
        }
        let kernel = try shore.kernel(beside: [asker])

        _ = try await Shore.queue(Shore.post("a"), in: kernel)

        #expect(codes.lines == ["transport.connect"])
        #expect(try await kernel.queue.list().map(\.url) == ["http://a.test/a"])
        await kernel.shutDown()
    }
}
