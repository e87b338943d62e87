import PlugboardJSON
import PlugboardKit
import PlugboardSQLite

/// The requests of a queue, as a store has them: SQLite or PostgreSQL. Each function is a transition of the README's
/// table and is atomic. Used on the store's thread only.
///
/// `now` is the wall clock of this process, and `time` its monotonic clock. A store of several machines takes from them
/// only how far apart two times are, and measures by the clock of its server.
@_spi(QueueStores)
public protocol QueueSession {
    /// Performs several steps that must not be seen half. A store whose steps are atomic one by one, and can be
    /// repeated, just runs them.
    ///
    /// - Parameter removes: Whether the steps make room, so that a full disk must not stop them.
    func together<Value>(removes: Bool, _ work: () throws(SQLiteFailure) -> Value) throws(SQLiteFailure) -> Value

    /// Makes an entry whose body is added in pieces. Until then it holds `line`.
    func begin(_ id: String, holding line: String?, now: Int64, time: Int64) throws(SQLiteFailure) -> Int64
    /// Adds a piece. Returns false if another process has removed the entry.
    func append(_ bytes: [UInt8], _ number: Int, to sequence: Int64) throws(SQLiteFailure) -> Bool
    /// Removes an entry whose body could not be written, or whose caller has its outcome.
    func discard(_ sequence: Int64) throws(SQLiteFailure)
    /// Adds requests, all or none. They are on the disk when this returns.
    func add(_ entries: [NewEntry], now: Int64, time: Int64) throws(SQLiteFailure) -> Added

    /// Takes requests back from processes that have ended, or have not renewed their lease.
    ///
    /// - Parameter running: What this process knows that it has taken; nil if that does not matter. More may have been
    ///   taken for it where the reply was lost.
    func takeBack(running: Set<Int64>?, now: Int64, time: Int64) throws(SQLiteFailure)
    /// Makes old requests dead, and removes old outcomes. Returns the tickets of the dead requests.
    func expire(now: Int64, time: Int64, isStart: Bool) throws(SQLiteFailure) -> [String]
    /// Takes up to `count` requests that can be sent, the most urgent first.
    func claim(_ order: QueueClaim, now: Int64, time: Int64) throws(SQLiteFailure) -> Claimed
    /// Lets requests that were taken but not sent wait again, unchanged.
    func putBack(_ sequences: [Int64]) throws(SQLiteFailure)
    /// When the next request can be sent, by the clock of `now`; nil if none waits for a time after `earliest`.
    func nextDue(except paused: Set<String>, after earliest: Int64, now: Int64) throws(SQLiteFailure) -> Int64?
    /// Renews the lease of everything that this process writes and sends. Returns the numbers of these requests.
    func renew(time: Int64) throws(SQLiteFailure) -> Set<Int64>
    /// Ends the sending of a request by this process. Returns false if this process does not hold it any more.
    func settle(_ sequence: Int64, _ settlement: Settlement, now: Int64) throws(SQLiteFailure) -> Bool
    /// Lets requests that this process was sending wait again, because the process ends.
    func leave() throws(SQLiteFailure)

    /// Whether a line has requests that wait or are being sent.
    func isBusy(_ line: String) throws(SQLiteFailure) -> Bool
    /// The number of the request with this id; nil if there is no such request.
    func sequence(of id: String) throws(SQLiteFailure) -> Int64?
    /// A piece of a body; nil if it is missing.
    func piece(_ number: Int, of id: String) throws(SQLiteFailure) -> [UInt8]?

    /// The requests as JSON, in their order.
    func list(
        _ selection: Selection, limit: Int, isWhole: Bool, isUnacknowledged: Bool
    ) throws(SQLiteFailure) -> [JSONValue]
    /// Removes requests; returns their tickets.
    func drop(_ selection: Selection) throws(SQLiteFailure) -> [String]
    /// Makes dead requests wait again, and lets waiting ones be sent at once. Returns the number of both.
    func revive(_ selection: Selection, now: Int64) throws(SQLiteFailure) -> Int
    /// Removes delivered outcomes, and marks dead requests, which stay until they are dropped. Returns their number.
    func acknowledge(_ ids: [String]) throws(SQLiteFailure) -> Int
    /// The numbers of requests by state, and the bytes that count for the limit.
    func statistics() throws(SQLiteFailure) -> JSONObject
    /// The length of the queue; nil if it was read a short time ago.
    func survey() throws(SQLiteFailure) -> QueueSurvey?
    /// Removes a part of what `hasRemains` tells of.
    func sweep() throws(SQLiteFailure)
}

/// The length of the queue.
@_spi(QueueStores)
public struct QueueSurvey: Sendable {
    /// Requests that wait, or are being written or sent, of all processes.
    public var pending: Int
    public var dead: Int
    /// Whether pieces of bodies are to be removed.
    public var hasRemains: Bool

    public init(pending: Int, dead: Int, hasRemains: Bool = false) {
        (self.pending, self.dead, self.hasRemains) = (pending, dead, hasRemains)
    }
}

/// Which requests a claim takes.
@_spi(QueueStores)
public struct QueueClaim: Sendable {
    /// Which requests are taken.
    public enum Choice: Sendable, Equatable {
        /// Requests that are due.
        case due
        /// Requests of a line that are due.
        case line(String)
        /// Requests that are due and that commands have selected.
        case selected([Selection])
    }

    public var count: Int
    public var choice = Choice.due
    /// Origins to which nothing is sent now.
    public var paused: Set<String> = []
    /// Origins to which several requests may be sent at once; nil for all.
    public var proven: Set<String>?
    /// Lines of which nothing is taken, because exchanges of this process hold them.
    public var held: Set<String> = []
}

/// What a claim has taken.
@_spi(QueueStores)
public struct Claimed: Sendable {
    public var entries: [ClaimedEntry]
    /// The held lines that have a request which could be sent.
    public var heldBack: Set<String>

    public init(entries: [ClaimedEntry], heldBack: Set<String>) {
        (self.entries, self.heldBack) = (entries, heldBack)
    }
}
