import PlugboardKit
import Synchronization

/// The normal forms of recent URLs, because programs request the same ones again, and finding the form of a URL takes
/// longer than finding its entry.
final class RecentURLs: Sendable {
    struct Known {
        /// As the caller wrote it.
        let text: String
        let normal: NormalURL
        /// The key that is this URL alone; kept, because it is hashed when it is made.
        let key: CacheKey
    }

    /// Each URL has one place. There are few of them, and long URLs have none, so that they take little memory.
    private let known = Mutex([Known?](repeating: nil, count: 128))
    private static let longest = 512

    /// Nil for a URL that has no normal form.
    func url(_ url: UnsafeRawBufferPointer) -> Known? {
        let place = url.count <= RecentURLs.longest ? RecentURLs.place(url) : nil
        if let place, let found = known.withLock({ $0[place] }), RecentURLs.isEqual(found.text, url) { return found }
        let text = Fields.text(url)
        guard let normal = NormalURL(text) else { return nil }
        let new = Known(text: text, normal: normal, key: CacheKey(text: normal.text))
        if let place { known.withLock { $0[place] = new } }
        return new
    }

    /// The place of a URL, from 0 to 127.
    static func place(_ url: UnsafeRawBufferPointer) -> Int {
        var hash = UInt64(truncatingIfNeeded: url.count)
        var offset = 0
        while offset < url.count {
            // The last word overlaps the one before it.
            let start = max(min(offset, url.count - 8), 0)
            hash = (hash ^ word(url, start)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 32
            offset += 8
        }
        // The upper bits, because a product carries the last bytes of a URL, in which most differ, only upward.
        return Int(hash >> 57)
    }

    private static func isEqual(_ text: String, _ url: UnsafeRawBufferPointer) -> Bool {
        withUTF8Bytes(text) { text in
            guard text.count == url.count else { return false }
            var offset = 0
            while offset < url.count {
                let start = max(min(offset, url.count - 8), 0)
                if word(text, start) != word(url, start) { return false }
                offset += 8
            }
            return true
        }
    }

    /// Eight bytes, or all of a shorter text.
    private static func word(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
        if bytes.count - start >= 8 { return bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self) }
        return bytes[start...].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
