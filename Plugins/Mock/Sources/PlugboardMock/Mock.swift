import PlugboardKit
import PlugboardMockOptions
import PlugboardObserving

/// Responds in place of the network, by rules or from a HAR file. Delays and slows other requests.
///
/// It is the innermost plugin: all others see its responses as they see those of a server.
struct Mock: Plugin {
    static let manifest = Manifest(
        id: "mock", version: "1.0.0", documentation: "Responds in place of the network, by rules.",
        priority: 980, hooks: [.request, .response, .close], attributes: MockAttributes.definitions,
        commands: [
            CommandDefinition(
                "check", "Reads a file of rules, and shows their number.",
                arguments: #"{"path": "the file"}"#, isQuiet: true),
            CommandDefinition("report", "Shows how often each rule has responded, and which never has.", isQuiet: true),
        ])

    typealias Settings = MockSettings

    private let settings: Settings
    private let host: PluginHost
    private let table: RuleTable
    /// Nil unless `unmatched` is `record`.
    private let recorder: RuleRecorder?

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        var rules: [Rule] = []
        let path = settings.rules.map { host.configuredPath($0) }
        if settings.unmatched == .record {
            guard let path else {
                throw PlugboardError(.configuration, "unmatched is record, which needs rules: the file to write.")
            }
            recorder = try RuleRecorder(path, host)
        } else {
            recorder = nil
        }
        // A file that is recorded need not exist yet.
        if let path, recorder == nil || RuleRecorder.exists(path) { rules += try RuleFile(path).rules() }
        if let path = settings.har { rules += try HARRules.rules(host.configuredPath(path)) }
        table = RuleTable(rules, seed: UInt64(bitPattern: Int64(settings.seed)))
    }

    func stop(within: Duration) async { recorder?.write() }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        if exchange.visit == .deadline {
            guard let chosen = exchange.turnState as? Chosen else { return .next }
            return verdict(chosen.response?.outcome, exchange)
        }
        let request = exchange.request
        var mocked = MockedRequest(
            method: request.method.name, url: request.withURL { Array($0) }, fields: request.fields)
        if exchange.visit == .first, table.comparesBody(of: mocked) { return .hold(upTo: settings.bodyLimit) }
        if exchange.visit == .held { mocked.json = exchange.withHeldBody { try? JSONParser.parse($0) } }
        let response = table.choose(mocked)
        if response == nil, settings.unmatched == .fail {
            let nearest = table.nearest(to: mocked).map { " The nearest is \($0)." } ?? " There are no rules."
            return .fail(
                PlugboardError(
                    .mockUnmatched,
                    "No rule of mock matches \(request.method.name) \(Printable.url(request.url)).\(nearest) "
                        + "Add a rule, or set unmatched to pass or record."))
        }
        if response == nil, recorder != nil {
            // Secrets could not be found in a body that is encoded.
            request["Accept-Encoding"] = "identity"
            exchange.turnState = Recorded(request.method.name, request.url)
        }
        let delay = (response?.delay ?? .zero) + (exchange[MockAttributes.keys.latency] ?? .zero)
        guard delay > .zero else { return verdict(response?.outcome, exchange) }
        if !(exchange.turnState is Recorded) { exchange.turnState = Chosen(response) }
        return .wait(exchange.ticket(within: delay))
    }

    /// - Parameter outcome: Nil for a request that passes to the network.
    private func verdict(_ outcome: MockResponse.Outcome?, _ exchange: borrowing Exchange) -> RequestVerdict {
        switch outcome {
        case nil: return .next
        case .failure(let code, let reason): return .fail(PlugboardError(.init(code), reason))
        case .response(let status, let fields, let body):
            let head = ResponseHead(status: status, fields: fields)
            let rate = exchange[MockAttributes.keys.rate]?.bytes
            return .respond(head, body.isEmpty ? nil : Body(MockBody(body, bytesPerSecond: rate, host)))
        }
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        if let recorded = exchange.turnState as? Recorded, let response = exchange.response {
            (recorded.status, recorded.fields) = (response.status, response.fields)
            let capture = BodyCapture(upTo: settings.bodyLimit.bytes)
            let isTaken: Void? = exchange.withWholeResponseBody { capture.takeWhole($0) }
            if isTaken != nil {
                recorded.body = capture
            } else {
                exchange.wrapResponseBody { inner in
                    recorded.body = capture
                    return CapturedSource(inner, capture)
                }
            }
        }
        if let rate = exchange[MockAttributes.keys.rate] {
            exchange.wrapResponseBody { ThrottledBody($0, bytesPerSecond: rate.bytes, host) }
        }
        return .next
    }

    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        guard let recorded = exchange.turnState as? Recorded, let status = recorded.status else { return }
        // The kernel discards the body when a plugin sends the request again, and most of these decide by the head.
        let body = outcome == .resent ? nil : recorded.body
        recorder?.add(recorded.method, recorded.url, status, recorded.fields, body)
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        guard name == "check" else {
            reply.json(table.report)
            return
        }
        do throws(PlugboardError) {
            guard let path = arguments["path"]?.stringValue else {
                throw PlugboardError(.mockArgument, "check needs path: plugboard mock check path=FILE")
            }
            reply.json(["rules": .number(JSONNumber(try RuleFile(path).rules().count))])
        } catch {
            reply.fail(error)
        }
    }

    /// The response that is given after the delay.
    private class Chosen {
        let response: MockResponse?
        init(_ response: MockResponse?) { self.response = response }
    }

    /// A request that goes to the network, and what comes back.
    private final class Recorded: Chosen {
        let (method, url): (String, String)
        var status: Int?
        var fields = Fields()
        var body: BodyCapture?

        init(_ method: String, _ url: String) {
            (self.method, self.url) = (method, url)
            super.init(nil)
        }
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(mock_LTX_plugboard_plugin)
public func mockPlugin() -> UnsafePointer<plug_plugin_v1> { Mock.descriptor }
