import Plugboard
import PlugboardCache
import PlugboardStore
import TestSupport
import Testing

/// Values in the store: long bodies, and what somebody else has written.
struct CacheFleetValueTests {
    private static let long = String(repeating: "0123456789abcdef", count: 50_000)

    private func fleet(_ linkage: Linkage, settings: JSONObject = [:]) throws -> CacheFleet {
        try CacheFleet(linkage, settings: settings) { _, number in
            .respond(200, CacheFleet.fresh, ["response \(number)", Self.long])
        }
    }

    @Test(arguments: Linkage.allCases)
    func `a long body is shared in chunks`(linkage: Linkage) async throws {
        let fleet = try fleet(linkage)

        _ = try await fleet.first.get()
        let second = try await fleet.second.get().body
        let chunks = fleet.engine.values("cache/1/body/")

        #expect(second == "response 1" + Self.long && fleet.sent == 1)
        #expect(chunks.count == 4 && chunks.values.allSatisfy { $0.count <= (256 << 10) + 8 })
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a body above the limit is near only`(linkage: Linkage) async throws {
        let fleet = try fleet(linkage, settings: ["sharedBody": "512KiB"])

        for bench in fleet.benches { for _ in 0..<2 { _ = try await bench.get() } }

        #expect(fleet.sent == 2 && fleet.benches.allSatisfy { $0.events.lines.last == "hit" })
        #expect(fleet.engine.values("cache/1/body/").isEmpty)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a body that memory does not keep is read again for each request`(linkage: Linkage) async throws {
        let fleet = try fleet(linkage, settings: ["memory": "64KiB"])

        var bodies: [String] = []
        for _ in 0..<2 { for bench in fleet.benches { bodies.append(try await bench.get().body) } }

        #expect(bodies == Array(repeating: "response 1" + Self.long, count: 4) && fleet.sent == 1)
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `a body that is replaced can be read to its end, and is removed later`(linkage: Linkage) async throws {
        let fleet = try fleet(linkage)
        _ = try await fleet.first.get()
        try await fleet.first.stored()
        let old = Set(fleet.engine.values("cache/1/body/").keys)

        let reading = try await fleet.second.kernel.send(Request(.get, "http://a.test/"))
        _ = try await fleet.first.get("http://a.test/", ["Cache-Control": "no-cache"])
        try await fleet.first.stored()
        let both = Set(fleet.engine.values("cache/1/body/").keys)
        try await fleet.until(advancing: .seconds(1)) {
            Set(fleet.engine.values("cache/1/body/").keys).isDisjoint(with: old)
        }
        let body = try await reading.body.text()

        #expect(body == "response 1" + Self.long)
        #expect(old.count == 4 && both.count == 8 && both.isSuperset(of: old))
        await fleet.shutDown()
    }

    @Test(arguments: Linkage.allCases)
    func `no more variants are validated than one long body takes memory`(linkage: Linkage) async throws {
        let fleet = try CacheFleet(linkage, settings: ["sharedBody": "1MiB", "memory": "64KiB"]) { attempt, _ in
            let language = attempt.fields["Accept-Language"] ?? ""
            let fields: Fields = ["Cache-Control": "max-age=60", "Vary": "Accept-Language", "ETag": "\"\(language)\""]
            return .respond(200, fields, [language, Self.long])
        }
        for language in ["en", "de"] {
            _ = try await fleet.first.get("http://a.test/", ["Accept-Language": language])
            try await fleet.first.stored()
        }

        let body = try await fleet.second.get("http://a.test/", ["Accept-Language": "fr"]).body
        let validated = fleet.transport.requests.last?.fields["If-None-Match"] ?? ""

        #expect(body == "fr" + Self.long && fleet.sent == 3)
        #expect(validated == "\"en\"" || validated == "\"de\"")
        await fleet.shutDown()
    }

    enum Damage: CaseIterable {
        case removed, empty, cut, longer, otherByte, otherStart, random, swapped

        func apply(_ value: Bytes, other: Bytes?) -> Bytes? {
            var bytes = value.array
            switch self {
            case .removed: return nil
            case .empty: bytes = []
            case .cut: bytes.removeLast()
            case .longer: bytes.append(0)
            case .otherByte: bytes[bytes.count / 2] ^= 1
            // Another version of the format.
            case .otherStart: bytes[0] ^= 3
            case .random: bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 * 77) }
            case .swapped: return other ?? nil
            }
            return Bytes(bytes)
        }
    }

    @Test(arguments: Damage.allCases, [10, 700_000])
    func `a damaged value is a miss`(damage: Damage, length: Int) async throws {
        let text = String(repeating: "y", count: length)
        let prefixes = ["head", "generation", "purged", "invalidated"] + (length > 100_000 ? ["body"] : [])
        for prefix in prefixes {
            let fleet = try CacheFleet { _, number in .respond(200, CacheFleet.fresh, ["\(number)", text]) }
            _ = try await fleet.first.get()
            _ = try await fleet.first.get("http://b.test/")
            for url in ["http://a.test/", "http://b.test/"] { try await fleet.first.stored(url) }
            let values = fleet.engine.values("cache/1/\(prefix)").sorted { $0.key < $1.key }
            for (index, value) in values.enumerated() {
                let other = values.count > 1 ? values[(index + 1) % values.count].value : nil
                fleet.engine.write(value.key, damage.apply(value.value, other: other))
            }

            let bodies = [try await fleet.second.get().body, try await fleet.second.get("http://b.test/").body]

            #expect(values.count > 0)
            // For an invalidation, the server is asked as well; what differs in the generation has nothing to swap.
            let isSame = prefix == "generation" && damage == .swapped && values.count == 1
            #expect(bodies == ["3" + text, "4" + text] || isSame, "\(prefix) \(damage)")
            await fleet.shutDown()
        }
    }
}
