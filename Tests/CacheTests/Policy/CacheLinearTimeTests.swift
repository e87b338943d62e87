import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCache

/// Heads are parsed on the loop: a head of 256 KiB must not block it.
struct CacheLinearTimeTests {
    private static let names: [FieldName] = [
        "Cache-Control", "CDN-Cache-Control", "Vary", "Connection", "Age", "Date", "Expires", "ETag", "Last-Modified",
        "Content-Range", "Content-Language", "Pragma",
    ]

    @Test(arguments: nastyShapes.indices)
    func `a field of any shape is parsed in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        for name in Self.names {
            expectLinearTime("\(name.text) of \(kind)", size: 4000) { size in
                var fields: Fields = ["Cache-Control": "max-age=60, private=\"a\""]
                fields.append(name, make(size))
                return fields
            } read: { fields in
                store(fields)
            }
        }
    }

    @Test(arguments: ["Set-Cookie", "Connection", "Vary", "X"])
    func `many fields are stored and updated in linear time`(name: String) {
        expectLinearTime(name, size: 1000) { count in
            var fields: Fields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]
            for index in 0..<count { fields.append(FieldName(name == "X" ? "X\(index)" : name), "n\(index)") }
            return fields
        } read: { fields in
            store(fields)
        }
    }

    @Test func `a Connection field that names all fields drops them in linear time`() {
        expectLinearTime("names and fields", size: 1000) { count in
            var fields: Fields = ["Cache-Control": "max-age=60"]
            for index in 0..<count { fields.append(FieldName("X\(index)"), "") }
            fields.append("Connection", (0..<count).map { "x\($0)" }.joined(separator: ", "))
            return fields
        } read: { fields in
            store(fields)
        }
    }

    @Test func `a response that varies by too many fields varies by all`() {
        let fields: Fields = ["Vary": (0..<101).map { "n\($0)" }.joined(separator: ",")]
        let few: Fields = ["Vary": (0..<200).map { "n\($0 % 100)" }.joined(separator: ",")]

        #expect(SelectingForm.selecting(fields, [:]).map(\.name) == ["*"])
        #expect(SelectingForm.selecting(few, [:]).count == 100)
    }

    @Test func `a part with too many fields is not joined with the stored one`() throws {
        let key = CacheKey(text: "https://a.example/")
        let now = Duration.seconds(1_700_000_000)
        let policy = CachePolicy()
        let request = RequestFacts(method: .get, key: key, url: key.text, fields: [:])
        let stored = StoredResponse(
            key: key, url: key.text, status: 206, fields: ["ETag": "\"a\"", "Cache-Control": "max-age=60"],
            requested: now, received: now, range: .init(first: 0, complete: 9))
        let entry = CacheEntry(id: 1, response: stored, length: 4)
        guard case .forward(let forward) = policy.decision(for: request, entries: [entry], now: now) else {
            throw PlugboardError("test", "The request is not forwarded.")
        }
        func isJoined(_ count: Int) -> Bool {
            var fields: Fields = ["ETag": "\"a\"", "Content-Range": "bytes 4-8/9"]
            for number in 0..<count { fields.append(FieldName("n\(number)"), "") }
            let response = NetworkResponse(
                forward: forward, status: 206, fields: fields, requested: now, received: now)
            guard case .complete = policy.decision(on: response, resolving: { _ in nil }).outcome else { return false }
            return true
        }

        #expect(isJoined(500) && !isJoined(2000))
    }

    /// Decides on a 200 and on the 304 that updates it, for a private and a shared cache.
    private func store(_ fields: Fields) {
        let key = CacheKey(text: "https://a.example/")
        let now = Duration.seconds(1_700_000_000)
        for isShared in [false, true] {
            let policy = CachePolicy(isShared: isShared)
            let request = RequestFacts(method: .get, key: key, url: key.text, fields: ["Accept-Language": "en"])
            guard case .forward(let forward) = policy.decision(for: request, entries: [], now: now) else { return }
            for status in [200, 206] {
                let response = NetworkResponse(
                    forward: forward, status: status, fields: fields, requested: now, received: now)
                guard let store = policy.decision(on: response, resolving: { _ in nil }).store else { continue }
                let entry = CacheEntry(id: 1, response: store.response, length: 9)
                if case .forward(let again) = policy.decision(for: request, entries: [entry], now: now + .seconds(99)) {
                    let confirmation = NetworkResponse(
                        forward: again, status: 304, fields: fields, requested: now, received: now)
                    _ = policy.decision(on: confirmation, resolving: { _ in nil })
                }
            }
        }
    }
}
