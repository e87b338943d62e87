import Plugboard
import PlugboardCache
import PlugboardCacheOptions
import TestSupport
import Testing

/// Parts of bodies (RFC 9111 §3.3, §3.4, RFC 9110 §14).
struct PartialTests {
    /// Serves "abcdefghij" with ranges.
    private static let transport = { @Sendable (version: String) in
        MockTransport { request, _ in
            let fields: Fields = ["Cache-Control": "max-age=60", "ETag": "\"\(version)\""]
            guard let range = request.fields["Range"]?.dropFirst(6).split(separator: "-"), let first = Int(range[0])
            else {
                return .respond(200, fields, ["abcde", "fghij"])
            }
            let last = range.count > 1 ? Int(range[1]) ?? 9 : 9
            let part = String("abcdefghij".dropFirst(first).prefix(last - first + 1))
            var partial = fields
            partial["Content-Range"] = "bytes \(first)-\(last)/10"
            partial["Content-Length"] = "\(part.utf8.count)"
            return .respond(206, partial, [part])
        }
    }

    @Test(arguments: Linkage.allCases)
    func `a range is served from a stored whole`(linkage: Linkage) async throws {
        let transport = Self.transport("1")
        let bench = try CacheBench(linkage, transport)
        try await bench.get()

        let part = try await bench.get("http://a.test/", ["Range": "bytes=3-5"])

        #expect(part.head.status == 206 && part.body == "def")
        #expect(part.head.fields["Content-Range"] == "bytes 3-5/10")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a stored part serves the ranges that it contains`(linkage: Linkage) async throws {
        let transport = Self.transport("1")
        let bench = try CacheBench(linkage, transport)
        try await bench.get("http://a.test/", ["Range": "bytes=0-5"])

        let part = try await bench.get("http://a.test/", ["Range": "bytes=2-4"])

        #expect(part.head.status == 206 && part.body == "cde")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: Linkage.allCases)
    func `a stored part is completed by the missing range, and then whole`(linkage: Linkage) async throws {
        let transport = Self.transport("1")
        let bench = try CacheBench(linkage, transport)
        try await bench.get("http://a.test/", ["Range": "bytes=0-5"])

        let whole = try await bench.get()
        let again = try await bench.get()

        #expect(whole.head.status == 200 && whole.body == "abcdefghij" && again.body == "abcdefghij")
        #expect(whole.head.fields["Content-Range"] == nil && whole.head.fields["Content-Length"] == "10")
        #expect(transport.requests.map { $0.fields["Range"] } == ["bytes=0-5", "bytes=6-"])
    }

    @Test(arguments: Linkage.allCases)
    func `a missing range of another version is not joined`(linkage: Linkage) async throws {
        let transport = MockTransport { request, number in
            switch number {
            case 1:
                .respond(
                    206, ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Range": "bytes 0-2/6"], ["abc"])
            case 2:
                .respond(
                    206, ["Cache-Control": "max-age=60", "ETag": "\"2\"", "Content-Range": "bytes 3-5/6"], ["DEF"])
            default:
                .respond(200, ["Cache-Control": "max-age=60", "ETag": "\"2\""], [request.fields["Range"] ?? "ABCDEF"])
            }
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get("http://a.test/", ["Range": "bytes=0-2"])

        let whole = try await bench.get()

        #expect(whole.head.status == 200 && whole.body == "ABCDEF")
        #expect(transport.requests.count == 3 && transport.requests[2].fields["If-Range"] == nil)
    }

    @Test(arguments: Linkage.allCases)
    func `a missing range that is too short breaks the body, and is not stored`(linkage: Linkage) async throws {
        let transport = MockTransport { _, number in
            switch number {
            case 1:
                .respond(
                    206, ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Range": "bytes 0-2/6"], ["abc"])
            case 2:
                .respond(
                    206, ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Range": "bytes 3-5/6"], ["d"])
            default: .respond(200, ["ETag": "\"1\""], ["abcdef"])
            }
        }
        let bench = try CacheBench(linkage, transport)
        try await bench.get("http://a.test/", ["Range": "bytes=0-2"])

        let error = await #expect(throws: PlugboardError.self) { try await bench.get() }

        #expect(error?.code == .bodyCut)
        #expect(bench.events.lines.count { $0 == "stored" } == 1)
    }
}
