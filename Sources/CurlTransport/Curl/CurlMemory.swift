import CCurl
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The memory that libcurl works with: the system's, but for large blocks, which come from slots of our own.
///
/// libcurl makes a receive buffer for each transfer and frees it at the end. When so large a block is freed, the system
/// tidies its whole heap and gives pages back, only to find them again for the next transfer: a tenth of the CPU time of
/// a short exchange. Small buffers would avoid that, but cost a streamed body half as much again.
enum CurlMemory {
    /// A free of such a block is what the system makes an occasion to tidy.
    private static let smallest = 64 << 10
    /// Holds the usual receive buffer and the byte that libcurl adds to it.
    private static let slotSize = (256 << 10) + 4096
    /// What does not fit or finds no slot comes from the system. Only what was once used of a slot takes memory.
    private static let slotCount = 512

    /// Nil when the system refuses: then all comes from there.
    ///
    /// Set once, before libcurl asks for anything. No lazy constant: libcurl frees a hundred times in an exchange, and each
    /// look would first ask whether it was made.
    nonisolated(unsafe) private static var slots: UnsafeMutableRawPointer?

    /// The numbers of the slots that nobody uses; the last used is used first.
    private static let idle = Mutex(slots == nil ? [] : Array((0..<slotCount).reversed()))

    /// Starts libcurl, called once; false when it cannot be. If another part of the process was first, libcurl stays with its
    /// memory.
    static func startCurl() -> Bool {
        // A sanitizer must see each block.
        if ccurl_is_sanitized() != 0 { return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK }
        let memory = mmap(
            nil, slotCount * slotSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        slots = memory == MAP_FAILED ? nil : memory
        let code = curl_global_init_mem(
            Int(CURL_GLOBAL_DEFAULT),
            { size in CurlMemory.take(size) },
            { block in if let block { CurlMemory.give(block) } },
            { block, size in CurlMemory.resize(block, size) },
            { text in text.flatMap { strdup($0) } },
            { count, size in calloc(count, size) })
        return code == CURLE_OK
    }

    private static func take(_ size: Int) -> UnsafeMutableRawPointer? {
        guard size >= smallest, size <= slotSize, let slots, let slot = idle.withLock({ $0.popLast() })
        else { return malloc(size) }
        return slots + slot * slotSize
    }

    private static func give(_ block: UnsafeMutableRawPointer) {
        if let slot = slot(of: block) { idle.withLock { $0.append(slot) } } else { free(block) }
    }

    private static func resize(_ block: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let block, slot(of: block) != nil else { return realloc(block, size) }
        guard size > slotSize else { return block }
        guard let larger = malloc(size) else { return nil }
        larger.copyMemory(from: block, byteCount: slotSize)
        give(block)
        return larger
    }

    private static func slot(of block: UnsafeMutableRawPointer) -> Int? {
        guard let slots else { return nil }
        let distance = UInt(bitPattern: block) &- UInt(bitPattern: slots)
        return distance < UInt(slotCount * slotSize) ? Int(distance) / slotSize : nil
    }
}
