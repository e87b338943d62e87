import Plugboard
import Synchronization

/// Receives an exchange's events: writes them to standard error for `--verbose`, updates the progress bar, and stores
/// the timings. It writes no characters that control a terminal, and secrets only where it is told to.
final class ExchangeObserver: Sendable {
    private static let steps = ["nameLookup", "connect", "tls", "firstByte", "total"]

    private struct LastAttempt {
        let number: Int
        let steps: [(String, Int64)]
        /// Addresses are empty where no connection was made.
        let remote: (address: String, port: Int)
        let local: (address: String, port: Int)
    }

    let progress: ProgressBar?
    let slow: SlowTransfer?
    private let isVerbose: Bool
    private let showsSecrets: Bool
    private let lastAttempt = Mutex<LastAttempt?>(nil)
    /// The final responses that have come, the last one included.
    private let heads = Mutex<[ResponseHead]>([])
    /// What `--write-out` needs of the exchange.
    private let counts = Mutex<(progress: TransferProgress, redirects: Int, repetitions: Int, connections: Int)>(
        (TransferProgress(), 0, 0, 0))

    init(isVerbose: Bool, showsSecrets: Bool = false, progress: ProgressBar?, slow: SlowTransfer? = nil) {
        self.slow = slow
        self.isVerbose = isVerbose
        self.showsSecrets = showsSecrets
        self.progress = progress
    }

    /// [loop]
    func hear(_ event: ObservedEvent) {
        switch event.kernelEvent {
        case .progress:
            guard let bytes = event.progress else { return }
            progress?.show(received: Int64(bytes.received), of: bytes.toReceive.map { Int64($0) })
            counts.withLock { $0.progress = bytes }
            slow?.note(bytes.received + bytes.sent, at: .now)
            return
        case .headReceived:
            if let head = event.head { heads.withLock { $0.append(head) } }
        case .resendScheduled:
            counts.withLock { counts in
                switch event["by"] {
                case "redirect": counts.redirects += 1
                case "retry": counts.repetitions += 1
                default: break
                }
            }
        case .connected: counts.withLock { $0.connections += 1 }
        case .attemptEnded:
            let steps = ExchangeObserver.steps.map { ($0, Int64(event.integer($0) ?? 0)) }
            let addresses = [event["address"] ?? "", event["localAddress"] ?? ""]
            let ports = [event.integer("port") ?? 0, event.integer("localPort") ?? 0]
            lastAttempt.withLock {
                $0 = LastAttempt(
                    number: event.integer("attempt") ?? 0, steps: steps,
                    remote: (addresses[0], ports[0]), local: (addresses[1], ports[1]))
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
    var earlierHeads: [ResponseHead] { heads.withLock { $0.dropLast() } }

    /// The facts, with what the events have told.
    func completed(_ facts: WriteOut.Facts) -> WriteOut.Facts {
        var facts = facts
        let counts = counts.withLock { $0 }
        (facts.sent, facts.received) = (counts.progress.sent, counts.progress.received)
        (facts.redirects, facts.repetitions) = (counts.redirects, counts.repetitions)
        facts.connections += counts.connections
        facts.headSize += heads.withLock { $0.reduce(0) { $0 + ResponseWriter.bytes(of: $1).count } }
        guard let attempt = lastAttempt.withLock({ $0 }) else { return facts }
        for (name, nanoseconds) in attempt.steps { facts.steps[name] = .nanoseconds(nanoseconds) }
        (facts.remote, facts.local) = (attempt.remote, attempt.local)
        return facts
    }

    /// How long the steps of the last attempt took, each counted from its beginning.
    var timings: String {
        guard let attempt = lastAttempt.withLock({ $0 }) else { return "no attempt was made\n" }
        let rows = attempt.steps.map { [$0, ExchangeObserver.milliseconds($1)] }
        return Table(rows: [["attempt", "\(attempt.number)"]] + rows).text
    }

    /// Writes a head, each line with a mark for its direction.
    static func write(_ mark: String, _ line: String, _ fields: Fields, _ showsSecrets: Bool) {
        let lines = fields.map { field in
            let value = showsSecrets ? Printable.text(field.value) : Printable.value(of: field)
            return "\(mark) \(Printable.text(field.name)): \(value)\n"
        }
        StandardError.write("\(mark) \(Printable.text(line))\n\(lines.joined())\(mark)\n")
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let tenths = nanoseconds / 100_000
        return "\(tenths / 10).\(tenths % 10)ms"
    }
}
