import PlugboardKit

/// What keys and values are called in Redis.
///
///     limit/1/4f2a/7  is   plugboard:v{limit/1/4f2a}/7    a lock: plugboard:l{…}   its last token: plugboard:t{…}
///     17              is   17, so that Redis can count it
///     other values    are  a byte of 1, the version, and the value
///
/// In a cluster, keys with the same text in braces are on one server: those that are equal up to their third `/`. So
/// one call can be about several of them.
struct RedisNames: Sendable {
    let prefix: String

    func value(_ key: String) -> String { name(key, "v") }
    func lock(_ key: String) -> String { name(key, "l") }
    func token(_ key: String) -> String { name(key, "t") }

    private func name(_ key: String, _ kind: String) -> String {
        var (slashes, end) = (0, key.utf8.startIndex)
        while end < key.utf8.endIndex {
            if key.utf8[end] == UInt8(ascii: "/") { slashes += 1 }
            if slashes == 3 { break }
            key.utf8.formIndex(after: &end)
        }
        return "\(prefix)\(kind){\(key[..<end])}\(key[end...])"
    }

    /// A value as Redis keeps it.
    static func stored(_ value: Bytes) -> [UInt8] {
        let isNumber = value.count <= 20 && Int64(value.text).map { "\($0)" } == value.text
        return isNumber ? value.array : [1] + value.array
    }

    /// A value that Redis keeps; nil for one of another version.
    static func value(_ stored: [UInt8]) -> Bytes? {
        if stored.first == 1 { return Bytes(Array(stored.dropFirst())) }
        let digits = stored.first == UInt8(ascii: "-") ? stored.dropFirst() : stored[...]
        let isNumber = !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return isNumber ? Bytes(stored) : nil
    }
}
