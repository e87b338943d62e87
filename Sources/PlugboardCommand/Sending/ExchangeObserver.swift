import Plugboard
import Synchronization

/// Receives an exchange's events: writes them to standard error for `--verbose`, updates the progress bar, and stores
/// the timings. It writes no characters that control a terminal, and secrets only where it is told to.
final class ExchangeObserver: Sendable {
    private static let steps = ["nameLookup", "connect", "tls", "firstByte", "total"]

    private struct State {
        var progress = TransferProgress()
        var (redirects, repetitions, connections) = (0, 0, 0)
        /// That of the last attempt, which a redirect can have changed.
        var method: String?
        /// The final responses that have come, the last one included.
        var heads: [ResponseHead] = []
        /// The number and the steps of the last attempt that has ended; 0 and none before.
        var attempt = 0
        var steps: [(name: String, time: Duration)] = []
        /// Its addresses, which are empty where no connection was made.
        var remote = (address: "", port: 0)
        var local = (address: "", port: 0)
        /// The bytes of the heads of the attempts that were not given up for another.
        var requestSize = 0
        var (connectStatus, verifyResult) = (0, 0)
    }

    let progress: ProgressBar?
    let slow: SlowTransfer?
    private let wire: WireFacts?
    private let isVerbose: Bool
    private let showsSecrets: Bool
    private let state = Mutex(State())

    init(
        isVerbose: Bool, showsSecrets: Bool = false, progress: ProgressBar?, slow: SlowTransfer? = nil,
        wire: WireFacts? = nil
    ) {
        (self.isVerbose, self.showsSecrets, self.progress, self.slow) = (isVerbose, showsSecrets, progress, slow)
        self.wire = wire
    }

    /// [loop]
    func hear(_ event: ObservedEvent) {
        switch event.kernelEvent {
        case .progress:
            guard let bytes = event.progress else { return }
            progress?.show(received: Int64(bytes.received), of: bytes.toReceive.map { Int64($0) })
            state.withLock { $0.progress = bytes }
            slow?.note(bytes.received + bytes.sent, at: .now)
            return
        case .headReceived:
            if let head = event.head { state.withLock { $0.heads.append(head) } }
        case .attemptBegan:
            state.withLock { $0.method = event["method"] }
            slow?.restart()
        case .resendScheduled:
            state.withLock { state in
                switch event["by"] {
                case "redirect": state.redirects += 1
                case "retry": state.repetitions += 1
                default: break
                }
            }
        case .connected: state.withLock { $0.connections += 1 }
        case .completed: slow?.end()
        case .attemptEnded:
            state.withLock { state in
                state.attempt = event.integer("attempt") ?? 0
                state.steps = ExchangeObserver.steps.map { ($0, event.duration($0) ?? .zero) }
                state.remote = (event["address"] ?? "", event.integer("port") ?? 0)
                state.local = (event["localAddress"] ?? "", event.integer("localPort") ?? 0)
                state.requestSize += event.integer("requestSize") ?? 0
                state.connectStatus = event.integer("connectStatus") ?? 0
                state.verifyResult = event.integer("verifyResult") ?? 0
            }
        default: break
        }
        guard isVerbose else { return }
        if let head = event.head {
            ExchangeObserver.write(
                "<", "HTTP/\(head.version.rawValue) \(head.status) \(head.reason)", head.fields, showsSecrets)
        } else if let text = EventText.of(event) {
            StandardError.write("* \(Printable.text(text))\n")
        }
    }

    /// The heads of the responses before the last, of which each was a reason to send the request again.
    var earlierHeads: [ResponseHead] { state.withLock { $0.heads.dropLast() } }

    /// The facts, with what the events have told.
    func completed(_ facts: WriteOut.Facts) -> WriteOut.Facts {
        var facts = facts
        let state = state.withLock { $0 }
        (facts.sent, facts.received) = (state.progress.sent, state.progress.received)
        (facts.redirects, facts.repetitions) = (state.redirects, state.repetitions)
        if let method = state.method { facts.request.method = Method(method) }
        facts.connections += state.connections
        facts.headSize += state.heads.reduce(0) { $0 + ResponseWriter.bytes(of: $1).count }
        wire?.move(to: &facts)
        guard state.attempt > 0 else { return facts }
        for step in state.steps { facts.steps[step.name] = step.time }
        (facts.remote, facts.local) = (state.remote, state.local)
        if wire == nil { facts.requestSize += state.requestSize }
        (facts.connectStatus, facts.verifyResult) = (state.connectStatus, state.verifyResult)
        return facts
    }

    /// How long the steps of the last attempt took, each counted from its beginning.
    var timings: String {
        let (number, steps) = state.withLock { ($0.attempt, $0.steps) }
        if number == 0 { return "no attempt was made\n" }
        let rows = steps.map { [$0.name, ExchangeObserver.milliseconds($0.time)] }
        return Table(rows: [["attempt", "\(number)"]] + rows).text
    }

    /// Writes a head, each line with a mark for its direction.
    static func write(_ mark: String, _ line: String, _ fields: Fields, _ showsSecrets: Bool) {
        let lines = fields.map { field in
            let value = showsSecrets ? Printable.text(field.value) : Printable.value(of: field)
            return "\(mark) \(Printable.text(field.name)): \(value)\n"
        }
        StandardError.write("\(mark) \(Printable.text(line))\n\(lines.joined())\(mark)\n")
    }

    private static func milliseconds(_ time: Duration) -> String {
        let tenths = Int64(time / .microseconds(100))
        return "\(tenths / 10).\(tenths % 10)ms"
    }
}
