import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardLimit
import PluginLoader
import TestSupport

extension MockTransport {
    /// The body of the first response lasts until the test ends it.
    static func holding(_ body: SteppedSource) -> MockTransport {
        MockTransport { _, number in number == 1 ? .source(200, Fields(), body) : .respond(200) }
    }
}

/// The plugin in a kernel with a scripted transport and a clock that the test moves.
struct LimitScene {
    static let anywhere = "https://api.test/"

    let kernel: Kernel
    let clock: ManualClock
    let transport: MockTransport
    /// The plugin's events, a line each.
    let record = Record()
    /// Admits one for each request that begins to wait.
    let waiting = Gate()
    /// The lines that the plugin logs.
    let log = Record()
    /// Admits one for each of them.
    let logged = Gate()

    init(
        _ linkage: Linkage, _ rules: JSONObject, settings: JSONObject = [:],
        _ transport: MockTransport = MockTransport(),
        priority: Int? = nil, beside others: [PluginEntry] = [], scripted: [ScriptedPlugin] = [], loops: Int = 1,
        clock: ManualClock = ManualClock()
    ) throws {
        (self.transport, self.clock) = (transport, clock)
        let path = linkage == .loaded ? try Products.library("plugboard-limit") : nil
        var settings = settings
        if !rules.isEmpty { settings["rules"] = .object(rules) }
        var entry = PluginEntry(id: "limit", path: path, settings: settings)
        entry.priority = priority
        var configuration = Configuration(plugins: [entry] + others + scripted.map { PluginEntry($0.id) })
        configuration.kernel.loops = LoopCount(loops)
        var catalog = scripted.map(\.descriptor) + [retryPlugin(), redirectPlugin()]
        if linkage == .linked { catalog.append(limitPlugin()) }
        kernel = try Kernel(
            configuration: configuration, catalog: Catalog(catalog), loader: .dynamic, transport: transport,
            log: KernelLog(level: .info) { [log, logged] _, source, text in
                guard source == "limit" else { return }
                log.add(text)
                logged.admit()
            },
            clock: clock)
    }

    func begin(_ request: Request) -> ExchangeHandle {
        kernel.begin(request) { [record, waiting] event in
            guard event.id.hasPrefix("limit.") else { return }
            var line = "\(event.id.dropFirst("limit.".count)) \(event["rule"] ?? "")"
            if event.id == "limit.paused", let time = event.duration("time") { line += " \(DurationText(time))" }
            record.add(line)
            if event.id == "limit.waiting" { waiting.admit() }
        }
    }

    func begin(_ url: String = anywhere) -> ExchangeHandle { begin(Request(.get, url)) }

    /// Sends a request and reads its body.
    @discardableResult
    func send(_ request: Request) async throws -> Int {
        let response = try await begin(request).response
        _ = try await response.body.text()
        return response.status
    }

    @discardableResult
    func send(_ url: String = anywhere) async throws -> Int { try await send(Request(.get, url)) }

    func failure(of request: Request) async throws -> PlugboardError {
        do throws(PlugboardError) { _ = try await begin(request).response } catch { return error }
        throw PlugboardError("test", "The request succeeded.")
    }

    var sent: [String] { transport.requests.map(\.url) }

    func metric(_ name: String, _ rule: String) -> Int64? {
        kernel.metrics.first { $0.name == "limit.\(name)" && $0.labels.map(\.value) == [rule] }?.value
    }
}
