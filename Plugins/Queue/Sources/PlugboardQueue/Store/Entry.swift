import PlugboardKit
import PlugboardQueueOptions

/// The states of a request in the file; the README's table has the transitions.
@_spi(QueueStores)
public enum EntryState: Int64, CaseIterable, Sendable {
    /// Its body is being written.
    case writing = 0
    /// The first of its line: it can be sent.
    case ready = 1
    /// It waits for other requests of its line.
    case behind = 2
    /// A process sends it, or the caller's own exchange is under way.
    case sending = 3
    /// It has an outcome, which waits for its acknowledgement.
    case done = 4
    /// It is not sent again automatically.
    case dead = 5

    /// The state as users see it.
    public var name: String {
        switch self {
        case .writing: "writing"
        case .ready, .behind: "waiting"
        case .sending: "sending"
        case .done: "done"
        case .dead: "dead"
        }
    }

    /// The states with that name.
    public static func named(_ name: String) -> [EntryState] { allCases.filter { $0.name == name } }
}

/// A request that is to be queued.
@_spi(QueueStores)
public struct NewEntry: Sendable {
    public var id: String
    public var category: String?
    public var tag: String?
    public var context: String?
    public var collapse: (key: String, rule: QueueCollapse)?
    public var priority = 0
    public var method: String
    public var url: String
    /// `CapturedHead` as text.
    public var head: String
    /// The bytes of the whole body; -1 for no body.
    public var length = -1
    /// The bytes that are not written yet.
    public var rest: [UInt8] = []
    /// The entry whose first pieces are written already.
    public var begun: (sequence: Int64, pieces: Int)?
    /// The code of the failure for which it is queued; nil for a request to be sent later.
    public var code: String?
    /// Whether the request may have reached the server.
    public var isTouched = false
    /// The bytes that it counts toward the limit.
    public var size: Int { max(length, 0) + head.utf8.count + (context?.utf8.count ?? 0) }

    /// Whether the caller's own exchange sends it now.
    public var isJournal = false
    /// When its turn in the line came, by the wall clock; nil places it before all waiting requests of the line.
    public var since: Int64?
    /// Whether it is placed before the waiting requests of its line, because they came while it was being sent.
    public var isFirst = false

    /// The line of the request. Requests of one line are sent one after the other.
    public var line: String? { NewEntry.line(category, collapse?.key) }

    /// The origin of the URL. Requests to one origin share the state of its network.
    public var origin: String { NewEntry.origin(of: url) }

    public static func origin(of url: String) -> String { Origin(url: url)?.description ?? "" }

    public static func line(_ category: String?, _ collapseKey: String?) -> String? {
        category.map { "c:" + $0 } ?? collapseKey.map { "k:" + $0 }
    }
}

/// A request that this process has taken, to send it.
@_spi(QueueStores)
public struct ClaimedEntry: Sendable {
    public let sequence: Int64
    public let id: String
    public let line: String?
    public let origin: String
    public let category: String?
    public let tag: String?
    public let method: String
    public let url: String
    public let head: String
    public let length: Int
    /// The body, if it is one piece.
    public var body: [UInt8]?
    public let attempts: Int
    public let rejections: Int
    public let failures: Int

    public init(
        sequence: Int64, id: String, line: String?, origin: String, category: String?, tag: String?, method: String,
        url: String, head: String, length: Int, body: [UInt8]?, attempts: Int, rejections: Int, failures: Int
    ) {
        (self.sequence, self.id, self.line, self.origin) = (sequence, id, line, origin)
        (self.category, self.tag, self.method, self.url) = (category, tag, method, url)
        (self.head, self.length, self.body) = (head, length, body)
        (self.attempts, self.rejections, self.failures) = (attempts, rejections, failures)
    }
}

/// What the queue has done with a new request.
@_spi(QueueStores)
public enum Placement: Equatable, Sendable {
    case queued
    /// It waits behind other requests of its line, so the caller's exchange must not send it now.
    case behind
    /// The queue has a request with this ticket already.
    case known
    /// The waiting request with the same collapse key, and this one, are no longer needed.
    case cancelled
    /// There is no room.
    case full
}

/// The result of adding requests.
@_spi(QueueStores)
public struct Added: Sendable {
    /// One for each new request.
    public var placements: [Placement] = []
    /// The waiting requests that were dropped to make room for them.
    public var dropped: [DroppedEntry] = []

    public init() {}
}

/// A request that was dropped to make room.
@_spi(QueueStores)
public struct DroppedEntry: Sendable, Equatable {
    public var id: String
    public var category: String?
    public var tag: String?

    public init(id: String, category: String?, tag: String?) {
        (self.id, self.category, self.tag) = (id, category, tag)
    }
}

/// The result of sending a queued request.
@_spi(QueueStores)
public enum Settlement: Sendable {
    /// The server has carried it out.
    case done(DeliveredResponse)
    /// It is dead.
    case dead(PlugboardError, DeliveredResponse?)
    /// It waits: for the network, until a time of the wall clock, or because its sending was stopped. `isTouched`: it
    /// may have reached the server.
    case waiting(PlugboardError, until: Int64, counts: Counted, isTouched: Bool)

    /// The counter that a failure increases. `failure` makes waits longer, and never makes a request dead.
    public enum Counted: Sendable { case nothing, failure, attempt, rejection }
}

/// A response as it is stored in the outcome.
@_spi(QueueStores)
public struct DeliveredResponse: Sendable, Equatable {
    public var status: Int
    /// The fields as JSON.
    public var fields: String
    public var body: [UInt8]
}
