import PlugboardCacheOptions
import PlugboardKit
import Testing

@testable import PlugboardCache

/// A row of a table: requests to one URL in order, and what is expected of each.
struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    var policy = CachePolicy()
    let visits: [Visit]

    init(_ name: String, policy: CachePolicy = CachePolicy(), _ visits: Visit...) {
        self.name = name
        self.policy = policy
        self.visits = visits
    }

    var testDescription: String { name }
}

/// A request, the server's response, and the expected outcome. In values, `@-60` is the date 60 seconds ago.
struct Visit: Sendable {
    enum Expectation: Sendable {
        case anything
        /// The server gets no request.
        case cached
        /// The server gets the request, and its response is the caller's.
        case notCached
        /// The server gets its last ETag or Last-Modified as a condition, and responds 304.
        case tagValidated, dateValidated
        /// The server gets a `Range` for the missing part.
        case completed
    }

    var method: PlugboardMessages.Method = .get
    var url = "https://example.com/a"
    var request: Fields = [:]
    var mode: CacheMode = .default
    var own = RequestFacts.Own()
    var status = 200
    var response: Fields = [:]
    var body: String?
    var delay = 0
    /// Whether the server is unreachable.
    var isDown = false
    var expects = Expectation.anything
    var givesStatus: Int?
    var givesBody: String?
    var gives: Fields = [:]
    var lacks: [FieldName] = []
    /// The fields that the server must get.
    var asks: Fields = [:]
    /// The number of background requests.
    var revalidations = 0
    var givesStale: Bool?
    /// Seconds until the next visit.
    var pause = 0
}

extension Row {
    func run() {
        var cache = PolicyCache(policy: policy)
        // The last validators of the server.
        var named = Fields()
        for (index, visit) in visits.enumerated() {
            let number = index + 1
            let own = visit.body ?? "body \(number)"
            let facts = RequestFacts(
                method: visit.method, key: CacheKey(text: visit.url), url: visit.url,
                fields: visit.request.dated(cache.now), mode: visit.mode, own: visit.own)
            let now = cache.now
            let before = named
            let result = cache.send(facts) { request in
                if visit.isDown { return nil }
                var reply = PolicyCache.Reply(
                    status: visit.status, fields: visit.response.dated(now), body: own, delay: visit.delay)
                switch visit.expects {
                case .tagValidated where request[.ifNoneMatch] == before[.etag],
                    .dateValidated where request[.ifModifiedSince] == before[.lastModified]:
                    reply.status = 304
                    reply.body = ""
                case .tagValidated, .dateValidated: reply.status = 999
                default: break
                }
                return reply
            }
            check(visit, number, result, own, facts)
            let response = visit.response.dated(now)
            if response.contains(.etag) || response.contains(.lastModified) { named = response }
            cache.now += .seconds(visit.pause)
        }
    }

    private func check(
        _ visit: Visit, _ number: Int, _ result: PolicyCache.Result, _ own: String, _ request: RequestFacts
    ) {
        let position: Comment = "request \(number) of: \(name)"
        switch visit.expects {
        case .anything: break
        case .cached: #expect(result.asked.isEmpty, position)
        case .notCached:
            #expect(result.asked.count == 1 && result.freshness == nil, position)
            #expect(result.body == own, position)
        case .tagValidated:
            #expect(result.asked.last?.contains(.ifNoneMatch) == true && result.freshness == .revalidated, position)
        case .dateValidated:
            #expect(result.asked.last?.contains(.ifModifiedSince) == true && result.freshness == .revalidated, position)
        case .completed: #expect(result.asked.count == 1 && result.asked.last?.contains(.range) == true, position)
        }
        #expect(!result.hasFailed || visit.isDown, position)
        if let status = visit.givesStatus { #expect(result.status == status, position) }
        if let body = visit.givesBody { #expect(result.body == body, position) }
        if let isStale = visit.givesStale { #expect((result.freshness == .stale) == isStale, position) }
        for field in visit.gives { #expect(result.fields[FieldName(field.name)] == field.value, position) }
        for name in visit.lacks { #expect(!result.fields.contains(name), position) }
        for field in visit.asks { #expect(result.asked.last?[FieldName(field.name)] == field.value, position) }
        #expect(result.revalidations.count == visit.revalidations, position)
    }
}

extension Fields {
    /// Replaces `@seconds` by dates.
    func dated(_ now: Duration) -> Fields {
        var fields = Fields()
        for field in self {
            let value =
                field.value.hasPrefix("@")
                ? Int(field.value.dropFirst()).map { HTTPDate(now + .seconds($0)).description } : nil
            fields.append(FieldName(field.name), value ?? field.value)
        }
        return fields
    }
}

/// A visit whose response is stored.
func stored(_ response: Fields, status: Int = 200, pause: Int = 3) -> Visit {
    Visit(status: status, response: response, expects: .notCached, pause: pause)
}

let again = Visit(expects: .cached, givesBody: "body 1")
let fetched = Visit(expects: .notCached)
