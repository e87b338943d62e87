/// A pattern of URLs: `*` stands for any bytes, also none, `?` for one, and everything else for itself.
struct URLPattern: Sendable {
    private let pattern: [UInt8]

    init(_ pattern: String) { self.pattern = Array(pattern.utf8) }

    /// Whether the pattern fits the whole of the URL. Takes no longer than the product of both lengths.
    func fits(_ url: String) -> Bool {
        var url = url
        return url.withUTF8 { fits(UnsafeRawBufferPointer($0)) }
    }

    func fits(_ url: UnsafeRawBufferPointer) -> Bool {
        let (star, any) = (UInt8(ascii: "*"), UInt8(ascii: "?"))
        var (place, next) = (0, 0)
        // Where to try again: behind the last star, with one byte more taken by it. Earlier stars need never take
        // more.
        var retry: (place: Int, next: Int)?
        while place < url.count {
            if next < pattern.count, pattern[next] == star {
                next += 1
                retry = (place, next)
            } else if next < pattern.count, pattern[next] == any || pattern[next] == url[place] {
                place += 1
                next += 1
            } else if let last = retry {
                retry = (last.place + 1, last.next)
                (place, next) = (last.place + 1, last.next)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == star }
    }
}
