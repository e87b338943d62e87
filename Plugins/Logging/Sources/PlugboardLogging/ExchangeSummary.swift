import PlugboardKit

/// The outcome of an exchange as one line: `GET https://host/path?q=… → 200 1.2 KiB in 34 ms (2 attempts)`.
struct ExchangeSummary {
    var method: String
    /// The URL with its secret parts.
    var url: String
    var status: Int?
    /// Bytes of the body received from the network in the last attempt, and what continued it; nil if no
    /// progress was reported.
    var received: Int?
    var took: Duration
    var attempts: Int
    var outcome: TurnOutcome
    var failure: PlugboardError?
    /// The plugin whose sub-request this is.
    var asker: String?
    /// The plugin that responded instead of the network.
    var responder: String?
    /// Whether that response came from a sub-request of the plugin.
    var isOfSubRequest = false

    /// False for cancelled, ignored and queued exchanges: the caller or a plugin has intended that outcome.
    var isFailure: Bool {
        guard let failure else { return outcome == .failed }
        return ![.cancelled, .ignored, .queued].contains(failure.code)
    }

    /// - Parameter url: The URL as it may be shown.
    func text(_ url: String) -> String {
        var text = "\(method) \(url)"
        if let status { text += " → \(status)" }
        if let received { text += " \(size(received))" }
        text += "\(ending) \(duration(took))"
        if !notes.isEmpty { text += " (\(notes.joined(separator: ", ")))" }
        if let failure, failure.code != .cancelled { text += ": \(failure.code): \(failure.reason)" }
        return text
    }

    private var notes: [String] {
        var notes: [String] = []
        if let asker { notes.append("sub-request of \(asker)") }
        if attempts != 1 { notes.append(attempts == 0 ? "not sent" : "\(attempts) attempts") }
        if let responder {
            notes.append(isOfSubRequest ? "response of a sub-request of \(responder)" : "response of \(responder)")
        }
        return notes
    }

    private var ending: String {
        if let failure, [.cancelled, .ignored, .queued].contains(failure.code) { return " \(failure.code) after" }
        switch outcome {
        case .ended: return " in"
        case .replaced: return " replaced after"
        case .resent: return " sent again after"
        case .failed: return " failed after"
        case .cancelled: return failure == nil ? " cancelled after" : " ended after"
        }
    }

    private func size(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "KiB", "MiB", "GiB"] {
            if value < 1000 || unit == "GiB" { return unit == "B" ? "\(count) B" : "\(tenths(value)) \(unit)" }
            value /= 1024
        }
        return "\(count) B"
    }

    private func duration(_ time: Duration) -> String {
        let milliseconds = max(time, .zero) / .milliseconds(1)
        if milliseconds < 10 { return "\(tenths(milliseconds)) ms" }
        return milliseconds < 10_000 ? "\(Int(milliseconds)) ms" : "\(tenths(milliseconds / 1000)) s"
    }

    private func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
