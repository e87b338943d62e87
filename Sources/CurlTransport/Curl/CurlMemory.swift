import CCurl
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The memory that libcurl works with: the system's, of which large blocks are kept to be handed out again.
///
/// libcurl makes a receive buffer for each transfer and frees it at the end. When so large a block is freed, the system
/// tidies its whole heap and gives pages back, only to find them again for the next transfer: a tenth of the CPU time of
/// a short exchange. Small buffers would avoid that, but cost a streamed body half as much again.
enum CurlMemory {
    /// What the system's `free` makes an occasion to tidy.
    private static let smallestKept = 64 << 10
    /// Bytes that are kept idle at most, of which only those are in memory that were once used.
    private static let limit = 16 << 20

    /// Blocks that nobody uses, each pointing to the next.
    private struct Idle {
        var first: UnsafeMutableRawPointer?
        var byteCount = 0
    }

    private static let idle = Mutex(Idle())

    /// Starts libcurl; false when it cannot be. If another part of the process was first, libcurl stays with its memory.
    static func startCurl() -> Bool {
        let code = curl_global_init_mem(
            Int(CURL_GLOBAL_DEFAULT),
            { size in size < smallestKept ? malloc(size) : take(size) },
            { block in
                guard let block else { return }
                if malloc_usable_size(block) < smallestKept || !keep(block) { free(block) }
            },
            { block, size in realloc(block, size) },
            { text in text.flatMap { strdup($0) } },
            { count, size in calloc(count, size) })
        return code == CURLE_OK
    }

    private static func take(_ size: Int) -> UnsafeMutableRawPointer? {
        let kept = idle.withLock { idle -> UnsafeMutableRawPointer? in
            guard let block = idle.first, malloc_usable_size(block) >= size else { return nil }
            idle.first = block.load(as: UnsafeMutableRawPointer?.self)
            idle.byteCount -= malloc_usable_size(block)
            return block
        }
        return kept ?? malloc(size)
    }

    private static func keep(_ block: UnsafeMutableRawPointer) -> Bool {
        idle.withLock { idle in
            let size = malloc_usable_size(block)
            guard idle.byteCount + size <= limit else { return false }
            block.storeBytes(of: idle.first, as: UnsafeMutableRawPointer?.self)
            idle.first = block
            idle.byteCount += size
            return true
        }
    }
}
