import PlugboardKit
import PlugboardObserving
import PlugboardRecorderOptions

/// What is recorded of one exchange.
///
/// Sendable because only the hooks and events of its exchange change it, which never overlap, and others read it only
/// when the exchange has completed, or a copy that was made on its loop. Its id and place are under its store's lock.
final class Recording: @unchecked Sendable {
    /// A head as the plugin saw it, including secrets. It is stored and shown only through `Redaction`.
    struct Head {
        var status = 0
        var fields: Fields
    }

    /// One attempt on the network.
    struct Attempt {
        /// Its place among all attempts, facts and calls. Times are too coarse for their order.
        let step: Int
        let number: Int
        let reason: String
        let method: String
        /// The URL with its secrets. A recording keeps URLs and fields as they were sent.
        let url: String
        /// The start, as time since the start of the exchange.
        let began: Duration
        /// How long the attempt waited for a connection before it began.
        let waited: Duration
        /// The times since the attempt began, by this plugin's clock.
        var sent, headed, ended: Duration?
        var response: Head?
        var version: String?
        var times: Times?
        var address: String?
        var port: Int?
        var localPort: Int?
        var interim: [Head] = []
        /// The bytes of the response's body that came from the network.
        var received: Int?
    }

    /// The time from the start of the attempt to each step; zero for a step that it did not need.
    struct Times {
        var nameLookup = Duration.zero
        var connect = Duration.zero
        var tls = Duration.zero
        var firstByte = Duration.zero
        var total: Duration
    }

    /// An event of the exchange, from a plugin or the kernel.
    struct Fact {
        let step: Int
        let id: String
        /// The time since the start of the exchange.
        let at: Duration
        let details: [(name: String, value: String)]
    }

    /// A hook of a plugin that has returned, which the kernel tells with `kernel.measureHooks`.
    struct Call {
        let step: Int
        let plugin, hook, visit, verdict: String
        /// Parts of the heads that the hook changed.
        let changed: [String]
        let took: Duration
    }

    /// The id of its record; 0 before it has one.
    @exclusivity(unchecked) var id: Int64 = 0
    /// Its place among the exchanges under way, as long as the store has it there.
    @exclusivity(unchecked) var place: Int?
    let loop: PluginHost.Loop?
    /// Whether this is a copy of what was recorded before the exchange completed.
    let isUnderWay: Bool

    let detail: RecordedBodies
    let label: String?
    /// Whether options of the request or of the configuration decide on its route or its trust.
    let hasRoute: Bool
    /// The start, as time since 1970-01-01 UTC.
    let date: Duration
    /// The start on the monotonic clock.
    let began: Duration

    let method: String
    let url: String
    let request: Fields
    // Unchecked, because reading and writing them calls nothing else.
    @exclusivity(unchecked) var requestBody: BodyCapture?
    /// Whether the body is recorded, if there is one.
    @exclusivity(unchecked) var isRequestBodyRecorded = false
    /// The last attempt, which events change in place: most exchanges have one, which needs no memory of its own here.
    @exclusivity(unchecked) var last: Attempt?
    /// The attempts before it.
    @exclusivity(unchecked) var earlier: [Attempt] = []
    var attempts: [Attempt] { last.map { earlier + [$0] } ?? [] }
    /// Their approximate memory in bytes, counted as they grow, because looking at each would copy it.
    @exclusivity(unchecked) var attemptSize = 0
    /// False for attempts beyond the limit.
    @exclusivity(unchecked) var isAttemptRecorded = true
    @exclusivity(unchecked) var response: Head?
    @exclusivity(unchecked) var responseBody: BodyCapture?
    /// The number of attempts, facts and calls.
    @exclusivity(unchecked) var stepCount = 0
    @exclusivity(unchecked) var facts: [Fact] = []
    @exclusivity(unchecked) var calls: [Call] = []
    /// The plugin that sent the exchange as a sub-request, and the number of the exchange that it is for.
    @exclusivity(unchecked) var asker: (plugin: String, exchange: Int?)?
    @exclusivity(unchecked) var responder: String?
    @exclusivity(unchecked) var outcome: TurnOutcome?
    @exclusivity(unchecked) var failure: PlugboardError?
    @exclusivity(unchecked) var took = Duration.zero

    /// A server decides how often it redirects, so the size of a record is limited.
    static let attemptLimit = 64
    static let factLimit = 256
    static let callLimit = 1024

    init(_ exchange: borrowing Exchange, _ detail: RecordedBodies, label: String?, _ host: PluginHost) {
        let head = exchange.request
        loop = host.currentLoop
        isUnderWay = false
        self.detail = detail
        self.label = label
        hasRoute = exchange.route != .direct || !exchange.ownRoutes.isEmpty
        date = host.wallClock
        began = host.now
        method = head.method.name
        url = head.url
        request = head.fields
    }

    /// A copy of what is recorded so far. Called on the loop of the exchange.
    init(copying other: Recording, at now: Duration) {
        (loop, isUnderWay, took) = (nil, true, now - other.began)
        (detail, label, hasRoute) = (other.detail, other.label, other.hasRoute)
        (date, began, method, url, request) = (other.date, other.began, other.method, other.url, other.request)
        requestBody = other.requestBody.map { BodyCapture(copying: $0) }
        isRequestBodyRecorded = other.isRequestBodyRecorded
        (last, earlier, response) = (other.last, other.earlier, other.response)
        responseBody = other.responseBody.map { BodyCapture(copying: $0) }
        (facts, calls, asker, responder) = (other.facts, other.calls, other.asker, other.responder)
        guard let last, last.times == nil else { return }
        let time = took - last.began
        self.last?.times = Times(firstByte: last.headed ?? time, total: time)
    }

    /// The approximate memory in bytes.
    var size: Int {
        var size = 1024 + url.utf8.count + request.memory + attemptSize
        size += requestBody?.bytes.count ?? 0
        if let responseBody { size += responseBody.bytes.count + responseBody.trailers.memory }
        if let response { size += response.fields.memory }
        for fact in facts { size += 64 + fact.details.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
        for call in calls { size += 128 + call.changed.reduce(0) { $0 + $1.utf8.count + 16 } }
        return size
    }
}
