import PlugboardJSON
import Synchronization
import TestSupport

/// A collector of OTLP over HTTP, which keeps what comes.
final class Collector: Sendable {
    private let messages = Mutex<[(path: String, value: JSONValue)]>([])
    private let retryAfter: String?
    /// How many messages of spans have come, also those that were refused.
    let asked = Gate()
    private let statuses: Mutex<[Int]>
    private let server = Mutex<LoopbackServer?>(nil)
    let url: String
    /// An element for each message of spans that was taken.
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    /// - Parameter statuses: What it responds with, one after the other, and then 200.
    init(statuses: [Int] = [], retryAfter: String? = nil) throws {
        self.retryAfter = retryAfter
        self.statuses = Mutex(statuses)
        (arrivals, arrival) = AsyncStream.makeStream()
        let receiver = Receiver()
        let server = try LoopbackServer.responding { receiver.receive($0) ?? ServerResponse() }
        url = server.url("")
        self.server.withLock { $0 = server }
        receiver.set { [weak self] request in self?.receive(request) }
    }

    private func receive(_ request: ReceivedRequest) -> ServerResponse? {
        if request.target == "/v1/traces" { asked.admit() }
        let status = statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
        if status == 200, let value = try? JSONParser.parse(request.body) {
            messages.withLock { $0.append((request.target, value)) }
            if request.target == "/v1/traces" { arrival.yield() }
        }
        let wait = status == 200 ? nil : retryAfter.map { ("Retry-After", $0) }
        return ServerResponse(
            status: status, fields: [("Content-Type", "application/json")] + [wait].compactMap(\.self), body: "{}")
    }

    var spans: [JSONValue] {
        messages.withLock { $0 }.filter { $0.path == "/v1/traces" }
            .flatMap { $0.value["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.arrayValue ?? [] }
    }

    /// The metrics of the last message, by name.
    var metrics: [String: JSONValue] {
        let last = messages.withLock { $0 }.last { $0.path == "/v1/metrics" }
        let list = last?.value["resourceMetrics"]?[0]?["scopeMetrics"]?[0]?["metrics"]?.arrayValue ?? []
        return Dictionary(list.map { ($0["name"]?.stringValue ?? "", $0) }, uniquingKeysWith: { $1 })
    }

    var resources: [JSONValue] {
        messages.withLock { $0 }.compactMap { $0.value["resourceSpans"]?[0]?["resource"] }
    }

    /// A closure that is known only after the server was made.
    private final class Receiver: Sendable {
        private let receiver = Mutex<(@Sendable (ReceivedRequest) -> ServerResponse?)?>(nil)
        func set(_ receiver: @escaping @Sendable (ReceivedRequest) -> ServerResponse?) {
            self.receiver.withLock { $0 = receiver }
        }
        func receive(_ request: ReceivedRequest) -> ServerResponse? { receiver.withLock { $0 }?(request) }
    }
}

extension JSONValue {
    /// The attributes of a span, an event or a point, as texts.
    var attributes: [String: String] {
        let list = self["attributes"]?.arrayValue ?? []
        return Dictionary(
            list.map { attribute in
                let value = attribute["value"]
                let text =
                    value?["stringValue"]?.stringValue ?? value?["intValue"]?.stringValue
                    ?? value?["arrayValue"]?["values"]?.arrayValue?.compactMap { $0["stringValue"]?.stringValue }
                    .joined(separator: "|") ?? ""
                return (attribute["key"]?.stringValue ?? "", text)
            }, uniquingKeysWith: { $1 })
    }
}
