import PlugboardKit

/// An event of a request, for the controls of a program.
public struct IndicatorFact: Sendable, Equatable {
    /// What has happened.
    public enum Kind: String, Sendable, CaseIterable {
        /// The request begins.
        case willStart
        /// The program has suspended the request, and has resumed it.
        case suspended, resumed
        /// The request is cancelled.
        case cancelled
        /// Bytes were sent or received: at most ten times a second, and once at the end of each attempt.
        case progress
        /// The request is about to end, and has ended.
        case willComplete, didComplete
        /// The first of the requests under way is shown now: it has taken longer than `delay`.
        case shown
        /// No request is shown any more.
        case hidden
    }

    /// What has happened.
    public var kind: Kind
    /// The number of the request, which no other request of the process has; 0 for `shown` and `hidden`.
    public var exchange: UInt64
    /// How many requests are under way, this one included until `didComplete`. Sub-requests of plugins belong to their
    /// request and do not count.
    public var active: Int
    /// The request's message, or the one of the settings.
    public var message: String
    /// Whether the user has to wait for the request; in `shown`, for one of those that are shown.
    public var isModal: Bool
    /// The name of the control that the request belongs to.
    public var control: String?
    /// The bytes of both bodies so far; only in `progress`.
    public var progress: TransferProgress?
    /// How the request has ended, in `didComplete`: `ended`, `failed` or `cancelled`.
    public var outcome: String?

    /// A fact, for tests.
    public init(
        _ kind: Kind, exchange: UInt64, active: Int, message: String, isModal: Bool = false, control: String? = nil
    ) {
        self.kind = kind
        self.exchange = exchange
        self.active = active
        self.message = message
        self.isModal = isModal
        self.control = control
    }

    /// The fact that an event of the plugin contains; nil for other events.
    ///
    /// - Parameter text: Returns a detail of the event.
    public init?(id: String, text: (String) -> String?) {
        let prefix = "indicator."
        guard id.hasPrefix(prefix), let kind = Kind(rawValue: String(id.dropFirst(prefix.count))),
            let active = text("active").flatMap({ Int($0) })
        else { return nil }
        self.init(
            kind, exchange: text("exchange").flatMap { UInt64($0) } ?? 0, active: active,
            message: text("message") ?? "", isModal: text("modal") == "true", control: text("control"))
        if kind == .progress { progress = TransferProgress { text($0).flatMap { Int($0) } } }
        outcome = text("outcome")
    }

    /// The id of the event that contains this fact.
    public var eventID: String { "indicator.\(kind.rawValue)" }

    /// The details of that event.
    public var details: Fields {
        var details = Fields()
        func add(_ name: FieldName, _ value: String?) {
            if let value { details.append(name, value) }
        }
        if exchange != 0 { add("exchange", "\(exchange)") }
        add("active", "\(active)")
        add("message", message)
        add("modal", "\(isModal)")
        add("control", control)
        add("sent", progress.map { "\($0.sent)" })
        add("toSend", progress?.toSend.map { "\($0)" })
        add("received", progress.map { "\($0.received)" })
        add("toReceive", progress?.toReceive.map { "\($0)" })
        add("outcome", outcome)
        return details
    }
}
