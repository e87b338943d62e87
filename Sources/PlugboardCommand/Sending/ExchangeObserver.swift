import Plugboard
import Synchronization

/// Receives an exchange's events: writes them to standard error for `--verbose`, updates the progress bar, and stores
/// the timings. It writes no secrets and no characters that control a terminal.
final class ExchangeObserver: Sendable {
    private static let steps = ["nameLookup", "connect", "tls", "firstByte", "total"]

    let progress: ProgressBar?
    private let isVerbose: Bool
    private let lastAttempt = Mutex<(number: Int64, steps: [(String, Int64)])?>(nil)

    init(isVerbose: Bool, progress: ProgressBar?) {
        self.isVerbose = isVerbose
        self.progress = progress
    }

    /// [loop]
    func hear(_ event: ObservedEvent) {
        switch event.kernelEvent {
        case .progress:
            progress?.show(
                received: Int64(event.integer("received") ?? 0), of: event.integer("toReceive").map { Int64($0) })
            return
        case .attemptEnded:
            let steps = ExchangeObserver.steps.map { ($0, Int64(event.integer($0) ?? 0)) }
            lastAttempt.withLock { $0 = (Int64(event.integer("attempt") ?? 0), steps) }
        default: break
        }
        guard isVerbose else { return }
        if let head = event.head {
            ExchangeObserver.write("<", "HTTP/\(head.version.rawValue) \(head.status) \(head.reason)", head.fields)
        } else {
            let details = event.details.sorted { $0.key < $1.key }.map { " \($0)=\(ExchangeObserver.text($0, $1))" }
            StandardError.write(Printable.text("* \(event.id)\(details.joined())") + "\n")
        }
    }

    /// How long the steps of the last attempt took, each counted from its beginning.
    var timings: String {
        guard let attempt = lastAttempt.withLock({ $0 }) else { return "no attempt was made\n" }
        let rows = attempt.steps.map { [$0, ExchangeObserver.milliseconds($1)] }
        return Table(rows: [["attempt", "\(attempt.number)"]] + rows).text
    }

    /// Writes a head, each line with a mark for its direction.
    static func write(_ mark: String, _ line: String, _ fields: Fields) {
        let lines = fields.map { "\(mark) \(Printable.text($0.name)): \(Printable.value(of: $0))\n" }
        StandardError.write("\(mark) \(Printable.text(line))\n\(lines.joined())")
    }

    private static func text(_ name: String, _ detail: ObservedEvent.Detail) -> String {
        switch detail {
        case .text(let text): text
        case .integer(let number): steps.contains(name) || name == "after" ? milliseconds(number) : "\(number)"
        }
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let tenths = nanoseconds / 100_000
        return "\(tenths / 10).\(tenths % 10)ms"
    }
}
