import PlugboardKit
import Testing

@testable import PlugboardCache

/// The head that an entry keeps for callers within the same second.
@Suite struct ServedHeadTests {
    private let hit = CacheStatus(isHit: true)

    @Test func `a head is made again for another age, another status and another response`() {
        var entry = CacheEntry(id: 1, response: .sample("a"), length: 0)
        var made = 0
        func serve(_ age: Int64, _ status: CacheStatus) -> Int {
            entry.served(age: age, status) {
                made += 1
                return ResponseHead(status: 200 + made)
            }.status
        }
        var other = hit
        other.timeToLive = 5

        #expect([serve(1, hit), serve(1, hit)] == [201, 201])
        #expect(serve(2, hit) == 202)
        #expect(serve(2, other) == 203)
        entry.response = .sample("a", note: "new")
        #expect(serve(2, other) == 204)
    }

    @Test func `a caller that edits its head does not change the next one's`() {
        let entry = CacheEntry(id: 1, response: .sample("a"), length: 0)
        let make = { ResponseHead(status: 200, fields: ["a": "1"]) }

        var first = entry.served(age: 1, hit, make)
        first.fields["a"] = "2"
        first.fields["b"] = "3"

        let second = entry.served(age: 1, hit, make)
        #expect(second.fields["a"] == "1")
        #expect(!second.fields.contains("b"))
    }
}
