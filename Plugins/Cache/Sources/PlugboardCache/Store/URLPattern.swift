/// A pattern of URLs: `*` stands for any number of bytes, `?` for one byte, and other bytes for themselves.
struct URLPattern: Sendable {
    private let pattern: [UInt8]

    init(_ pattern: String) { self.pattern = Array(pattern.utf8) }

    /// Whether the pattern matches the whole URL, in at most time proportional to the product of both lengths.
    func fits(_ url: String) -> Bool {
        var url = url
        return url.withUTF8 { fits(UnsafeRawBufferPointer($0)) }
    }

    func fits(_ url: UnsafeRawBufferPointer) -> Bool {
        let (star, any) = (UInt8(ascii: "*"), UInt8(ascii: "?"))
        var (index, next) = (0, 0)
        // Where to continue after a mismatch: after the last star, which then matches one more byte. Earlier stars
        // never need to match more.
        var retry: (index: Int, next: Int)?
        while index < url.count {
            if next < pattern.count, pattern[next] == star {
                next += 1
                retry = (index, next)
            } else if next < pattern.count, pattern[next] == any || pattern[next] == url[index] {
                index += 1
                next += 1
            } else if let last = retry {
                retry = (last.index + 1, last.next)
                (index, next) = (last.index + 1, last.next)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == star }
    }
}
