import PlugboardKit

/// An answer that came for what was forwarded.
struct ReceivedResponse: Sendable {
    var forward: Forward
    var status: Int
    var fields: Fields
    /// When the request was sent and the answer's head received, since 1970.
    var requested: Duration
    var received: Duration
}

/// What becomes of an answer. The changes to the store come first; `store` when the body has ended well.
struct ResponseDecision: Sendable {
    indirect enum Outcome: Sendable {
        /// It goes on to the caller as it is.
        case pass
        /// The caller gets what is stored in its place: confirmed by a 304, or stale in place of a server's error.
        case reuse(Reuse)
        /// The caller gets the whole: the stored part and the received one together.
        case complete(Completion)
        /// The server's word about a condition or range of the cache's own helps nobody. The plugin sends the request again with these edits,
        /// which undo the first ones. It happens once at most: what is forwarded so has no conditions of the cache's own.
        case resend(Forward)
    }

    var outcome: Outcome = .pass
    /// What is to be committed at the body's end. Of an answer that completes, the body is both parts.
    var store: Storing?
    /// Heads that change while their bodies stay.
    var updates: [(entry: CacheEntry, answer: StoredResponse)] = []
    var removes: [CacheEntry] = []
    /// URLs whose answers must be validated before their next use (RFC 9111 §4.4), in normal form.
    var invalidates: [String] = []
    /// A URL all of whose answers go, in normal form: what is to be stored was not looked up beside them.
    var purges: String?
    var status: CacheStatus

    struct Storing: Sendable {
        var answer: StoredResponse
        /// What the new entry takes the place of.
        var replaced: [CacheEntry]
        /// How many bytes the body may have in the end; with another number it is not committed. Nil: with any.
        var lengths: ClosedRange<Int>?
    }

    /// How a whole is put together (RFC 9111 §3.4).
    struct Completion: Sendable {
        /// 200, with the fields of both.
        var head: ResponseHead
        var entry: CacheEntry
        /// Whether the stored part stands before the received one, or behind it.
        var storedFirst: Bool
        /// Bytes that the received part must have; a body with another number is cut.
        var receivedLength: Int
    }
}
