import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardTelemetry

/// What the plugin keeps in memory of the servers and methods that it has met.
struct MeasuresTests {
    private final class Entry: Sendable {
        let key: Int
        init(_ key: Int) { self.key = key }
    }

    /// How many of 2000 entries a table has kept, if their hashes are made so.
    private func kept(_ hash: @escaping (Int) -> Int) -> Int {
        let table = LookupTable<Entry>()
        func entry(_ key: Int) -> Entry { table.value(hash(key), where: { $0.key == key }, orMake: { Entry(key) }) }
        let first = (0..<2000).map(entry)
        return first.count { entry($0.key) === $0 }
    }

    @Test func `a table has a limit, also if all hashes are equal`() {
        #expect(kept { _ in 7 } == 1001)
        #expect(kept { $0 } == 1064)
    }

    @Test func `a hash depends on each byte and on the seed`() {
        func hash(_ text: String, seed: UInt64 = 1) -> Int {
            var hash = KeyHash(seed: seed)
            hash.add(text)
            return hash.value
        }
        let text = "http://a.test:8080"
        let others = text.indices.map { text.replacingCharacter(at: $0) }

        #expect(Set(([text] + others).map { hash($0) }).count == 1 + text.count)
        #expect(hash(text) == hash(text) && hash(text) != hash(text, seed: 2))
    }

    /// Calls `body` with measures of a kernel that runs.
    private func withMeasures(_ body: (Measures) -> Void) async throws {
        let plugin = ScriptedPlugin("counting")
        let kernel = try Linkage.linked.kernel(
            telemetryPlugin(), MockTransport(), beside: [plugin])
        body(Measures(try #require(plugin.host)))
        await kernel.shutDown()
    }

    private func target(_ measures: Measures, _ method: String, _ url: String) -> Measures.Target {
        Array(url.utf8).withUnsafeBytes { measures.began(method, $0) }
    }

    @Test func `all methods that are not known are one`() async throws {
        try await withMeasures { measures in
            let first = target(measures, "BREW", "http://a.test/")

            #expect((1...100).allSatisfy { target(measures, "BREW\($0)", "http://a.test/") === first })
            #expect(target(measures, "GET", "http://a.test/") !== first)
        }
    }

    @Test func `servers beyond the limit are not kept`() async throws {
        try await withMeasures { measures in
            let first = (1...1500).map { target(measures, "GET", "http://\($0).test/") }
            let again = (1...1500).map { target(measures, "GET", "http://\($0).test/") }

            #expect((1000...1064).contains(zip(first, again).count { $0 === $1 }))
        }
    }

    @Test(arguments: [
        "http://user:pw@a.test/", "http://user:p@w@a.test", "http://a.test/@b.test", "http://a.test?@b.test",
        "http://a.test#@b.test", "http://@a.test//x",
    ])
    func `a server is known without the user`(url: String) async throws {
        try await withMeasures { measures in
            let known = target(measures, "GET", "http://a.test/")

            #expect(target(measures, "GET", url) === known && known.origin == "http://a.test")
            #expect(target(measures, "GET", "https://a.test/") !== known)
            #expect(target(measures, "GET", "user:pw@a.test/").origin == nil)
        }
    }
}

extension String {
    /// The text with a `~` in place of one character.
    fileprivate func replacingCharacter(at place: Index) -> String {
        "\(self[..<place])~\(self[index(after: place)...])"
    }
}
