import PlugboardKit

/// The key of responses: a text that contains the URL and the chosen parts of a request (RFC 9111 §2). Responses with
/// the same key differ by their selecting fields only.
struct CacheKey: Hashable, Sendable {
    let text: String
    /// Kept, because each exchange looks its key up several times, and hashing the text takes most of that time.
    private let hash: Int

    init(text: String) {
        self.text = text
        hash = text.hashValue
    }

    /// The URL that the key contains, without the parameters that the key leaves out.
    var url: String { text.utf8.firstIndex(of: UInt8(ascii: "\n")).map { String(text[..<$0]) } ?? text }

    static func == (left: CacheKey, right: CacheKey) -> Bool { left.hash == right.hash && left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A stored response without its body: what was received, and what is needed to reuse it.
struct StoredResponse: Sendable {
    var key: CacheKey
    /// The URL of the request without its fragment.
    var url: String
    var status: Int
    /// The fields as received and updated by later responses, without `Connection` and the fields that it names.
    var fields: Fields
    /// When the request was sent, since 1970-01-01 00:00 UTC.
    var requested: Duration
    /// When the response's head was received, since 1970-01-01 00:00 UTC.
    var received: Duration
    /// The request's fields that `Vary` names, in normal form (RFC 9111 §4.1).
    var selecting: [SelectingField] = []
    /// The program's version under which it was stored; it is used for requests of the same version only.
    var version = ""
    /// The program's time to live, counted from `received`.
    var timeToLive: Duration?
    /// Whether it must be validated before its next use (RFC 9111 §4.4).
    var isInvalidated = false
    /// The bytes of the whole that an incomplete body contains (RFC 9111 §3.3); nil for a whole body.
    var range: StoredRange?

    /// Another URL by which stores find it, beside its key; nil if the key is the URL.
    ///
    /// Purging and invalidation use it. A key with more parts than a URL is found by the URL in it, and a key that is a
    /// shorter URL by the whole URL too.
    var indexedURL: String? {
        if key.text == url { return nil }
        let inKey = key.url
        return inKey.utf8.count == key.text.utf8.count ? url : inKey
    }

    /// Whether purging or invalidating the URL affects this response.
    func isOf(_ url: String) -> Bool { self.url == url || key.url == url }

    struct SelectingField: Sendable, Equatable {
        /// The name in lower case.
        var name: String
        /// Nil if the request did not have the field.
        var value: String?
    }

    /// The bytes from `first` of a representation of `complete` bytes, if that is known.
    struct StoredRange: Sendable, Equatable {
        var first: Int
        var complete: Int?
    }
}
