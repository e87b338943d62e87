import CacheOptions
import PlugboardKit
import Testing

@testable import CachePlugin

/// One line of a table: requests to one URL, one after the other, and what is expected of each.
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

/// One request, what a server would say to it, and what must come of it. In values, `@-60` is the date 60 seconds ago.
struct Visit: Sendable {
    enum Expectation: Sendable {
        case anything
        /// The server is not asked.
        case cached
        /// The server is asked, and its answer is the caller's.
        case notCached
        /// The server is asked by the ETag or Last-Modified that it gave last, and says 304.
        case tagValidated, dateValidated
        /// The server is asked by `Range` for what is missing.
        case completed
    }

    var method: Messages.Method = .get
    var url = "https://example.com/a"
    var request: Fields = [:]
    var mode: CacheMode = .default
    var own = RequestFacts.Own()
    var status = 200
    var answer: Fields = [:]
    var body: String?
    var delay = 0
    /// The server gives no answer.
    var isDown = false
    var expects = Expectation.anything
    var givesStatus: Int?
    var givesBody: String?
    var gives: Fields = [:]
    var lacks: [FieldName] = []
    /// What the server must see.
    var asks: Fields = [:]
    /// Requests in the background.
    var revalidations = 0
    var givesStale: Bool?
    /// Seconds until the next visit.
    var pause = 0
}

extension Row {
    func run() {
        var cache = PolicyCache(policy: policy)
        // The last validators that the server gave.
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
                    status: visit.status, fields: visit.answer.dated(now), body: own, delay: visit.delay)
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
            let answer = visit.answer.dated(now)
            if answer.contains(.etag) || answer.contains(.lastModified) { named = answer }
            cache.now += .seconds(visit.pause)
        }
    }

    private func check(
        _ visit: Visit, _ number: Int, _ result: PolicyCache.Result, _ own: String, _ request: RequestFacts
    ) {
        let place: Comment = "request \(number) of: \(name)"
        switch visit.expects {
        case .anything: break
        case .cached: #expect(result.asked.isEmpty, place)
        case .notCached:
            #expect(result.asked.count == 1 && result.freshness == nil, place)
            #expect(result.body == own, place)
        case .tagValidated:
            #expect(result.asked.last?.contains(.ifNoneMatch) == true && result.freshness == .revalidated, place)
        case .dateValidated:
            #expect(result.asked.last?.contains(.ifModifiedSince) == true && result.freshness == .revalidated, place)
        case .completed: #expect(result.asked.count == 1 && result.asked.last?.contains(.range) == true, place)
        }
        #expect(!result.hasFailed || visit.isDown, place)
        if let status = visit.givesStatus { #expect(result.status == status, place) }
        if let body = visit.givesBody { #expect(result.body == body, place) }
        if let isStale = visit.givesStale { #expect((result.freshness == .stale) == isStale, place) }
        for field in visit.gives { #expect(result.fields[FieldName(field.name)] == field.value, place) }
        for name in visit.lacks { #expect(!result.fields.contains(name), place) }
        for field in visit.asks { #expect(result.asked.last?[FieldName(field.name)] == field.value, place) }
        #expect(result.revalidations.count == visit.revalidations, place)
    }
}

extension Fields {
    /// With dates in place of `@seconds`.
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

/// An answer that is stored, and another request.
func stored(_ answer: Fields, status: Int = 200, pause: Int = 3) -> Visit {
    Visit(status: status, answer: answer, expects: .notCached, pause: pause)
}

let again = Visit(expects: .cached, givesBody: "body 1")
let anew = Visit(expects: .notCached)
