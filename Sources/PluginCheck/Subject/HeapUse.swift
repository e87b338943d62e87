import Glibc

/// How much of the heap is in use: what was allocated and not given back.
enum HeapUse {
    /// Bytes; nil where the C library cannot tell.
    ///
    /// From `malloc_info`: of each arena what it holds less what is free in it, and what was mapped beside them.
    static var bytes: Int? {
        // Swift's Glibc does not know <malloc.h>.
        typealias Inform = @convention(c) (Int32, UnsafeMutablePointer<FILE>?) -> Int32
        guard let address = dlsym(nil, "malloc_info") else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        var count = 0
        guard let stream = open_memstream(&text, &count) else { return nil }
        let code = unsafeBitCast(address, to: Inform.self)(0, stream)
        fclose(stream)
        defer { free(text) }
        guard code == 0, let text else { return nil }
        return inUse(String(cString: text))
    }

    /// The numbers of the whole process stand last in the text, after the last arena.
    static func inUse(_ report: String) -> Int? {
        guard let end = report.ranges(of: "</heap>").last?.upperBound else { return nil }
        let totals = report[end...]
        guard let held = size("system type=\"current\"", totals), let fast = size("total type=\"fast\"", totals),
            let rest = size("total type=\"rest\"", totals), let mapped = size("total type=\"mmap\"", totals)
        else { return nil }
        return held + mapped - fast - rest
    }

    private static func size(_ element: String, _ text: Substring) -> Int? {
        guard let start = text.firstRange(of: "<\(element)")?.upperBound,
            let value = text[start...].firstRange(of: "size=\"")?.upperBound
        else { return nil }
        return Int(text[value...].prefix { $0 != "\"" })
    }
}
