import Synchronization

/// The value of the field `Cache-Status` (RFC 9211).
struct CacheStatus: Sendable, Equatable, CustomStringConvertible {
    /// Why a request was forwarded (RFC 9211 §2.2).
    enum ForwardReason: String, Sendable {
        case bypass, method, miss, request, stale, partial
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
    }

    /// Whether the response came from the store without the network.
    var isHit = false
    var forwarded: ForwardReason?
    /// The server's status, if the caller gets another.
    var forwardStatus: Int?
    /// Whether the response is stored.
    var isStored = false
    /// Whether the request waited for an identical one.
    var isCollapsed = false
    /// The remaining seconds of freshness; negative for a stale response.
    var timeToLive: Int64?
    /// An additional token of this cache.
    var detail: String?

    /// The field's value: `plugboard; hit; ttl=30`.
    var description: String {
        // At most 75 bytes of words, two numbers and the detail. One allocation, because each response has this field.
        String(unsafeUninitializedCapacity: 128 + (detail?.utf8.count ?? 0)) { text in
            var count = 0
            func put(_ bytes: some Sequence<UInt8>) {
                for byte in bytes {
                    text[count] = byte
                    count += 1
                }
            }
            func put(_ word: StaticString) {
                put(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
            }
            put("plugboard")
            if isHit { put("; hit") }
            if let forwarded {
                put("; fwd=")
                put(forwarded.rawValue.utf8)
            }
            if let forwardStatus {
                put("; fwd-status=")
                put(String(forwardStatus).utf8)
            }
            if isStored { put("; stored") }
            if isCollapsed { put("; collapsed") }
            if let timeToLive {
                put("; ttl=")
                put(String(timeToLive).utf8)
            }
            if let detail {
                put("; detail=")
                put(detail.utf8)
            }
            return count
        }
    }
}

/// The text of the last status, because most responses get the same status as the one before.
final class StatusText: Sendable {
    private struct Last {
        var status = CacheStatus()
        var text = CacheStatus().description
    }

    private let last = Mutex(Last())

    func text(of status: CacheStatus) -> String {
        last.withLock { last in
            if last.status != status { last = Last(status: status, text: status.description) }
            return last.text
        }
    }
}
