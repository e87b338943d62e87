import PlugboardKit
import PlugboardObserving
import PlugboardRecorderOptions

/// Records exchanges, with their bodies as they are read, their attempts, and the events of plugins.
///
/// It runs outside redirects, retries and the cache: a record contains what the program sees, and the attempts behind
/// it. Secrets are replaced when a record is stored or shown.
struct Recorder: Plugin {
    static let manifest = Manifest(
        id: "recorder", version: "1.0.0",
        documentation: "Records exchanges, to be listed, shown and written as HAR.", priority: 30,
        hooks: [.request, .response, .close, .event],
        events: [
            "attemptBegan", "sent", "interim", "headReceived", "progress", "attemptEnded", "resendScheduled",
            "willSuspend", "suspended", "resumed", "willCancel", "cancelled", "pluginFaulted", "pluginDisabled",
            "pluginStalled", "hookReturned", "willComplete", "completed", "*.*",
        ], attributes: RecorderAttributes.definitions,
        commands: RecorderCommand.allCases.map(\.definition))

    typealias Settings = RecorderSettings

    let settings: Settings
    let host: PluginHost
    let store: any RecordStore
    private let types: [MediaTypePattern]
    private let captureLimit: Int
    /// For the bodies of exchanges under way; the store limits those that have completed.
    private let budget: CaptureBudget
    // Each request needs it. Reading a setting takes longer.
    private let bodies: RecordedBodies

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        bodies = settings.bodies
        types = try settings.bodyTypes.map { text throws(PlugboardError) in
            guard let pattern = MediaTypePattern(text) else {
                throw PlugboardError(
                    .configuration,
                    "bodyTypes has \(Printable.text(text)), not a media type such as application/json or text/*.")
            }
            return pattern
        }
        captureLimit = settings.bodyLimit.bytes
        budget = CaptureBudget(settings.size.bytes)
        let redaction = try Redaction(
            parameters: settings.secretParameters, members: settings.secretMembers)
        let bounds = RecordBounds(count: settings.limit, size: settings.size.bytes, age: settings.age)
        switch settings.persistence {
        case .memory: store = RecordRing(bounds, redaction, host)
        case .file: store = try RecordFile(settings, bounds, redaction, host)
        }
    }

    func stop(within: Duration) async { store.close(within: within) }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        // An outer plugin may have sent the request again. Then its record continues.
        if exchange.state is Recording { return .next }
        // Most requests have no attributes.
        let keys = exchange.hasAttributes ? RecorderAttributes.keys : nil
        let detail = keys.flatMap { exchange[$0.bodies] } ?? bodies
        if detail == .off { return .next }
        let recording = Recording(exchange, detail, label: keys.flatMap { exchange[$0.label] }, host)
        exchange.state = recording
        store.begin(recording)
        if let limit = limit(detail), isRecorded(exchange.request) {
            recording.isRequestBodyRecorded = true
            exchange.wrapRequestBody { inner in
                let capture = BodyCapture(upTo: limit, within: budget)
                recording.requestBody = capture
                return CapturedSource(inner, capture)
            }
        }
        return .next
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let recording = exchange.state as? Recording, let response = exchange.response else { return .next }
        // Most responses have the fields that came from the network: those are kept once.
        let received = recording.last?.response?.fields ?? Fields()
        recording.response = Recording.Head(
            status: response.status, fields: response.hasFields(received) ? received : response.fields)
        recording.responseBody = nil
        guard let limit = limit(recording.detail), isRecorded(response) else { return .next }
        let capture = BodyCapture(upTo: limit, keepsTrailers: true, within: budget)
        let isTaken: Void? = exchange.withWholeResponseBody { capture.takeWhole($0) }
        if isTaken != nil {
            recording.responseBody = capture
        } else {
            exchange.wrapResponseBody { inner in
                recording.responseBody = capture
                return CapturedSource(inner, capture)
            }
        }
        return .next
    }

    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {
        guard let recording = exchange.state as? Recording else { return }
        recording.outcome = outcome
        recording.failure = exchange.failure
    }

    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {
        switch exchange {
        case .some(let exchange):
            guard let recording = exchange.state as? Recording else { return }
            if event.is("completed") {
                recording.took = host.now - recording.began
                recording.requestBody?.leaveBudget()
                recording.responseBody?.leaveBudget()
                store.add(recording)
            } else {
                recording.take(event, exchange, at: host.now - recording.began)
            }
        case .none: break
        }
    }

    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        RecorderCommandRun(store: store, host: host).run(name, arguments, reply)
    }

    /// The most bytes of a body that are recorded; nil if none are.
    private func limit(_ detail: RecordedBodies) -> Int? {
        switch detail {
        case .off, .heads: nil
        case .capped: captureLimit
        // A quarter, so that a few bodies at the same time need little more memory than all records may have.
        case .whole: settings.size.bytes / 4
        }
    }

    private func isRecorded(_ head: borrowing Head) -> Bool {
        if types.isEmpty { return true }
        let type = MediaTypePattern.essence(of: head[.contentType] ?? "")
        return types.contains { $0.matches(type) }
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(recorder_LTX_plugboard_plugin)
public func recorderPlugin() -> UnsafePointer<plug_plugin_v1> { Recorder.descriptor }
