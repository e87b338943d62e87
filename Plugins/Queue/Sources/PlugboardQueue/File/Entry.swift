import PlugboardKit
import PlugboardQueueOptions

/// The states of a request in the file; the README's table has the transitions.
enum EntryState: Int64, CaseIterable {
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
    var name: String {
        switch self {
        case .writing: "writing"
        case .ready, .behind: "waiting"
        case .sending: "sending"
        case .done: "done"
        case .dead: "dead"
        }
    }

    /// The states with that name.
    static func named(_ name: String) -> [EntryState] { allCases.filter { $0.name == name } }
}

/// A request that is to be queued.
struct NewEntry: Sendable {
    var id: String
    var category: String?
    var tag: String?
    var context: String?
    var collapse: (key: String, rule: QueueCollapse)?
    var priority = 0
    var method: String
    var url: String
    /// `CapturedHead` as text.
    var head: String
    /// The bytes of the whole body; -1 for no body.
    var length = -1
    /// The bytes that are not written yet.
    var rest: [UInt8] = []
    /// The entry whose first pieces are written already.
    var begun: (sequence: Int64, pieces: Int)?
    /// The code of the failure for which it is queued; nil for a request to be sent later.
    var code: String?
    /// Whether the request may have reached the server.
    var isTouched = false
    /// The bytes that it counts toward the limit.
    var size: Int { max(length, 0) + head.utf8.count + (context?.utf8.count ?? 0) }

    /// Whether the caller's own exchange sends it now.
    var isJournal = false
    /// When its turn in the line came, by the wall clock; nil places it before all waiting requests of the line.
    var since: Int64?
    /// Whether it is placed before the waiting requests of its line, because they came while it was being sent.
    var isFirst = false

    /// The line of the request. Requests of one line are sent one after the other.
    var line: String? { NewEntry.line(category, collapse?.key) }

    /// The origin of the URL. Requests to one origin share the state of its network.
    var origin: String { NewEntry.origin(of: url) }

    static func origin(of url: String) -> String { Origin(url: url)?.description ?? "" }

    static func line(_ category: String?, _ collapseKey: String?) -> String? {
        category.map { "c:" + $0 } ?? collapseKey.map { "k:" + $0 }
    }
}

/// A request that this process has taken, to send it.
struct ClaimedEntry: Sendable {
    let sequence: Int64
    let id: String
    let line: String?
    let origin: String
    let category: String?
    let tag: String?
    let method: String
    let url: String
    let head: String
    let length: Int
    /// The body, if it is one piece.
    var body: [UInt8]?
    let attempts: Int
    let rejections: Int
    let failures: Int
}

/// What the queue has done with a new request.
enum Placement: Equatable, Sendable {
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
struct Added: Sendable {
    /// One for each new request.
    var placements: [Placement] = []
    /// The waiting requests that were dropped to make room for them.
    var dropped: [DroppedEntry] = []
}

/// A request that was dropped to make room.
struct DroppedEntry: Sendable, Equatable {
    var id: String
    var category: String?
    var tag: String?
}

/// The result of sending a queued request.
enum Settlement: Sendable {
    /// The server has carried it out.
    case done(DeliveredResponse)
    /// It is dead.
    case dead(PlugboardError, DeliveredResponse?)
    /// It waits: for the network, until a time of the wall clock, or because its sending was stopped. `isTouched`: it
    /// may have reached the server.
    case waiting(PlugboardError, until: Int64, counts: Counted, isTouched: Bool)

    /// The counter that a failure increases. `failure` makes waits longer, and never makes a request dead.
    enum Counted: Sendable { case nothing, failure, attempt, rejection }
}

/// A response as it is stored in the outcome.
struct DeliveredResponse: Sendable, Equatable {
    var status: Int
    /// The fields as JSON.
    var fields: String
    var body: [UInt8]
}
