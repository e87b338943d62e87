import CPlugboardHiredis

/// A reply of a server, copied from hiredis.
enum RedisReply: Sendable, Equatable {
    /// A string, or a status such as `OK`.
    case bytes([UInt8])
    case number(Int64)
    case none
    case error(String)
    case array([RedisReply])

    init(_ reply: UnsafePointer<redisReply>?) {
        guard let reply = reply?.pointee else {
            self = .none
            return
        }
        let bytes = UnsafeRawBufferPointer(start: reply.str, count: reply.str == nil ? 0 : Int(reply.len))
        switch reply.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .bytes(Array(bytes))
        case REDIS_REPLY_INTEGER: self = .number(Int64(reply.integer))
        case REDIS_REPLY_ERROR: self = .error(String(decoding: bytes.prefix(400), as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            let elements = UnsafeBufferPointer(
                start: reply.element, count: reply.element == nil ? 0 : Int(reply.elements))
            self = .array(elements.map { RedisReply($0) })
        default: self = .none
        }
    }

    /// The text of a string; nil for other replies.
    var text: String? { if case .bytes(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil } }

    /// The text of an error; nil for other replies.
    var errorText: String? { if case .error(let text) = self { text } else { nil } }

    /// Whether this is an error that begins with this word.
    func isError(_ word: String) -> Bool { errorText?.hasPrefix(word) ?? false }
}
