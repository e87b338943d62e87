import PlugboardKit

/// The limits of the records that are kept.
struct RecordBounds: Sendable {
    var count: Int
    /// The most bytes of all records together.
    var size: Int
    var age: Duration
}

/// One recorded exchange, as it is stored and shown: without secrets.
struct Record: Sendable {
    /// Counted from 1. Later records have larger ids.
    var id: Int64
    /// The start, as time since 1970-01-01 UTC.
    var date: Duration
    var took: Duration
    var method: String
    var url: String
    var host: String
    /// Nil without a response.
    var status: Int?
    /// The code of the failure.
    var failure: String?
    var label: String?
    /// Whether the exchange had not completed yet when this was read. Stored records are of completed ones.
    var isUnderWay = false
    /// One entry of HAR for each attempt, or a single one if there was none.
    var entries: [JSONValue]

    /// The approximate memory in bytes.
    var size: Int { entries.reduce(256) { $0 + (JSONWriter.write($1) as [UInt8]).count } }
}

/// Stores records. Its functions may be called from any thread; all but `begin` and `add` may block, and are for
/// commands.
protocol RecordStore: Sendable {
    /// Differs for stores whose ids are not of one sequence. Nil for a file, whose ids go on after a restart.
    var mark: String? { get }
    /// Takes an exchange that begins. Called once, before `add`. [loop]
    func begin(_ recording: Recording)
    /// Takes an exchange that has completed. [loop]
    func add(_ recording: Recording)
    /// Adds records as they are, with new ids, and returns how many.
    func add(_ records: [Record]) throws(PlugboardError) -> Int
    /// Calls `visit` for the records that a filter selects, from the newest one, until it returns false.
    func each(_ filter: RecordFilter, _ visit: (Record) -> Bool) throws(PlugboardError)
    /// The record of that id.
    func record(_ id: Int64) throws(PlugboardError) -> Record?
    /// Removes the records that a filter selects, and returns how many.
    func remove(_ filter: RecordFilter) throws(PlugboardError) -> Int
    /// Stores what is pending. Called after the last record.
    func close(within limit: Duration)
}
