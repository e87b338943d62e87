import PlugboardKit
import PlugboardObserving

/// One attempt under way, or ended.
///
/// Sendable because only the hooks and events of its exchange change it, which never overlap, until it has ended; it is
/// only read from then on.
final class Span: @unchecked Sendable {
    struct Event {
        var name: String
        var time: Duration
        var attributes: [(name: String, value: String)]
    }

    let context: TraceContext
    /// The id of the parent span; nil for the first span of a trace.
    let parent: UInt64?
    /// The start, as time since 1970-01-01 UTC.
    let began: Duration
    /// The start on the monotonic clock.
    let start: Duration
    let target: Measures.Target
    /// The URL with its secrets, unless it is long: they are removed when the span is exported, because it takes longer
    /// to remove them from the URL of each request.
    let url: String
    // Unchecked, because reading and writing them calls nothing else.
    @exclusivity(unchecked) var facts: AttemptFacts
    @exclusivity(unchecked) var ended = Duration.zero
    @exclusivity(unchecked) var isCancelled = false
    @exclusivity(unchecked) var requestSize: Int?
    @exclusivity(unchecked) var responseSize: Int?
    var fields: [(name: String, values: [String])] = []
    var events: [Event]

    /// The most events, because plugins and servers decide how many there are.
    static let eventLimit = 64

    init(
        _ context: TraceContext, parent: UInt64?, began: Duration, at start: Duration, _ facts: AttemptFacts,
        url: String, _ target: Measures.Target, _ events: [Event]
    ) {
        (self.context, self.parent, self.began, self.start, self.facts) = (context, parent, began, start, facts)
        (self.url, self.target, self.events) = (url, target, events)
    }

    func note(_ name: String, at time: Duration, _ attributes: [(name: String, value: String)]) {
        if events.count < Span.eventLimit { events.append(Event(name: name, time: time, attributes: attributes)) }
    }
}

/// The trace of an exchange, shared by all its attempts.
final class Trace {
    let parent: TraceContext?
    let number: TraceNumber
    let isSampled: Bool
    // Unchecked like the span's, because reading and writing them calls nothing else.
    @exclusivity(unchecked) var attempts = 0
    /// The attempt that is under way.
    @exclusivity(unchecked) var span: Span?
    /// Events between two attempts, such as a redirect or a retry. The next span contains them.
    @exclusivity(unchecked) var pending: [Span.Event] = []

    init(parent: TraceContext?, _ number: @autoclosure () -> TraceNumber, isSampled: @autoclosure () -> Bool) {
        self.parent = parent
        self.number = parent?.trace ?? number()
        self.isSampled = parent?.isSampled ?? isSampled()
    }
}
