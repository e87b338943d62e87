import PlugboardSystem

/// The number of bytes of the heap that are in use: allocated and not freed.
enum HeapUse {
    /// Bytes in use; nil if the C library has no such function, or if another allocator replaces its own.
    ///
    /// Read from `malloc_info`: the size of each arena without its free part, and the memory mapped beside the arenas.
    static var bytes: Int? {
        // The module Glibc does not import <malloc.h>.
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

    /// The totals of the process are last in the text, after the last arena. Nil if they are all 0, as they are
    /// if the C library's allocator is not used.
    static func inUse(_ report: String) -> Int? {
        guard let end = report.ranges(of: "</heap>").last?.upperBound else { return nil }
        let totals = report[end...]
        guard let held = size("system type=\"current\"", totals), let fast = size("total type=\"fast\"", totals),
            let rest = size("total type=\"rest\"", totals), let mapped = size("total type=\"mmap\"", totals)
        else { return nil }
        return held + mapped > 0 ? held + mapped - fast - rest : nil
    }

    private static func size(_ element: String, _ text: Substring) -> Int? {
        guard let start = text.firstRange(of: "<\(element)")?.upperBound,
            let value = text[start...].firstRange(of: "size=\"")?.upperBound
        else { return nil }
        return Int(text[value...].prefix { $0 != "\"" })
    }
}
