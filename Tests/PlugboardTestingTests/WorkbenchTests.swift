import Foundation
import PlugboardKit
import PlugboardTesting
import PluginLoader
import TestSupport
import Testing

struct WorkbenchTests {
    private let url = "https://api.test/"

    /// Does what the field `X-Do` of a request says.
    private struct Obedient: Plugin {
        static let manifest = Manifest(id: "obedient", version: "1.0.0", priority: 500, hooks: [.request])

        struct Settings: PluginSettings {
            @Setting("What it says.") var word = "done"
        }
        let settings: Settings
        let host: PluginHost

        init(settings: Settings, host: PluginHost) {
            self.settings = settings
            self.host = host
        }

        func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
            switch exchange.request["X-Do"] {
            case "log": host.log(.debug, settings.word)
            case "publish": host.publish("obedient.said", exchange: exchange.id, details: ["word": settings.word])
            case "wait" where exchange.visit == .first: return .wait(exchange.ticket(within: .seconds(60)))
            case "directory": exchange.request["X-Directory"] = host.dataDirectory
            default: break
            }
            return .next
        }
    }

    @Test func `a plugin has its settings, and what it logs and publishes is recorded`() async throws {
        let bench = try Workbench(Obedient.self, settings: ["word": "hello"])

        _ = try await bench.send(Request(.get, url, fields: ["X-Do": "log"]))
        _ = try await bench.send(Request(.get, url, fields: ["X-Do": "publish"]))
        let event = await bench.event("obedient.said")

        #expect(bench.log.contains { $0.level == .debug && $0.source == "obedient" && $0.text == "hello" })
        #expect(event?["word"] == "hello")
        #expect(bench.events.filter { $0.kernelEvent == .completed }.count >= 1)
    }

    @Test func `settings are checked as in a program`() {
        let error = #expect(throws: PlugboardError.self) { try Workbench(Obedient.self, settings: ["wrd": "x"]) }

        #expect(error?.reason.contains("word") == true)
    }

    @Test func `the clock stands still until the test moves it`() async throws {
        let bench = try Workbench(Obedient.self)
        let handle = bench.begin(Request(.get, url, fields: ["X-Do": "wait"]))
        _ = await bench.event("started")

        // When the loop has begun the next request, the hook has run.
        _ = try await bench.send(Request(.get, url))
        let before = bench.transport.requests.count
        bench.clock.advance(by: .seconds(61))
        let status = try await handle.response.status

        #expect(before == 1)
        #expect(status == 200)
    }

    @Test func `each bench has its own data directory, which is removed with it`() async throws {
        let path: String
        do {
            let bench = try Workbench(Obedient.self)
            _ = try await bench.send(Request(.get, url, fields: ["X-Do": "directory"]))
            path = try #require(bench.transport.requests.first?["X-Directory"])
            #expect(FileManager.default.createFile(atPath: path + "/file", contents: Data([1])))
            await bench.kernel.shutDown()
        }

        #expect(path.hasSuffix("/obedient"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// A table in C that a test provides, or takes from a plugin.
    private struct Numbers {
        var context: UnsafeMutableRawPointer?
        var twice: @convention(c) (UnsafeMutableRawPointer?, Int64) -> Int64
    }

    /// Doubles a number with a service of another plugin.
    private final class Doubler: Plugin {
        static let manifest = Manifest(
            id: "doubler", version: "1.0.0", priority: 500, hooks: [.request], needs: ["com.example.numbers/1"])

        private let host: PluginHost

        init(settings: NoSettings, host: PluginHost) { self.host = host }

        func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
            let numbers = host.service("com.example.numbers/1", as: Numbers.self)
            exchange.request["X-Twice"] = numbers.map { "\($0.pointee.twice($0.pointee.context, 21))" }
            return .next
        }
    }

    @Test func `a test provides a service that the plugin needs`() async throws {
        let table = UnsafeMutablePointer<Numbers>.allocate(capacity: 1)
        defer { table.deallocate() }
        table.initialize(to: Numbers(context: nil, twice: { $1 * 2 }))
        let bench = try Workbench(Doubler.self) {
            $0.plugins.append(.providing(["com.example.numbers/1": UnsafeRawPointer(table)]))
        }

        _ = try await bench.send(Request(.get, url))
        await bench.kernel.shutDown()

        #expect(bench.transport.requests.map { $0["X-Twice"] } == ["42"])
    }

    @Test func `a test takes the service that the plugin provides`() throws {
        let bench = try Workbench(file: try FixturePlugin.build("numbers"), loader: .dynamic)

        let numbers = try #require(bench.service("com.example.numbers/1", as: Numbers.self))
        let none = bench.service("com.example.numbers/2", as: Numbers.self)

        #expect(numbers.pointee.twice(numbers.pointee.context, 21) == 42 && none == nil)
    }

    @Test func `a plugin from a file takes part, and so does one beside another`() async throws {
        let tagger = try FixturePlugin.build("tagger", define: ["PLUGIN_ID": "com.example.bench"])
        let bench = try Workbench(file: tagger, loader: .dynamic, beside: [Obedient.descriptor]) {
            $0.kernel.timeout = .seconds(5)
        }

        let response = try await bench.send(Request(.get, url))

        #expect(bench.kernel.plugins.count == 2)
        #expect(response["x-order-back"] == "com.example.bench")
        #expect(bench.transport.requests.first?.options.timeout == .seconds(5))
    }
}
