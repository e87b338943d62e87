import PlugboardKit
import Synchronization

/// The normal forms of recent URLs. Programs request the same URLs again, and computing a normal form takes longer than
/// finding an entry.
final class RecentURLs: Sendable {
    struct Known {
        /// The URL as the caller wrote it.
        let text: String
        let normal: NormalURL
        /// The key that is this URL alone. Kept, because a key is hashed when it is made.
        let key: CacheKey
    }

    /// Each URL has one place. To save memory, there are few places, and long URLs have none.
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
        // Most URLs differ in their last bytes, and a product carries these only into its upper bits.
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
