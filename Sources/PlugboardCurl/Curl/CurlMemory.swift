import CPlugboardCurl
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The allocator of libcurl: large blocks come from slots of our own, all others from the system, or from what libcurl
/// has freed on the same loop's thread (`ccurl_take`).
///
/// libcurl allocates a receive buffer for each transfer and frees it at the end. When so large a block is freed, `free`
/// consolidates its heap and returns pages to the system, which the next transfer needs again: a tenth of the CPU time
/// of a short exchange. Small buffers would avoid that, but raise the CPU time of streamed bodies by half.
enum CurlMemory {
    /// The size of a freed block from which on `free` consolidates its heap.
    private static let smallest = 64 << 10
    /// Large enough for the default receive buffer and the byte that libcurl adds to it.
    private static let slotSize = (256 << 10) + 4096
    private static let slotRoom = slotSize - MemoryLayout<ccurl_header>.size
    /// Blocks that do not fit or find no slot come from the system. Only the used part of a slot takes memory.
    private static let slotCount = 512

    /// Nil if the system gives no memory for slots: then all blocks come from the system.
    ///
    /// Set once, before libcurl allocates anything. It is not a lazy constant, because each of the hundred calls of an
    /// exchange would then check whether it is initialized.
    @exclusivity(unchecked) nonisolated(unsafe) private static var slots: UnsafeMutableRawPointer?

    /// The numbers of the free slots; the one that was freed last is used first.
    private static let idle = Mutex(slots == nil ? [] : Array((0..<slotCount).reversed()))

    /// Initializes libcurl; called once. Returns false if that fails. If another part of the process has initialized
    /// libcurl before, libcurl keeps its allocator.
    // Not inlined, because all calls of the list of kept blocks must be in this file.
    @inline(never)
    static func startCurl() -> Bool {
        // A sanitizer must see each block.
        if ccurl_is_sanitized() != 0 { return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK }
        let memory = mmap(
            nil, slotCount * slotSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        slots = memory == MAP_FAILED ? nil : memory
        let code = curl_global_init_mem(
            Int(CURL_GLOBAL_DEFAULT),
            { size in size < CurlMemory.smallest ? ccurl_take(size) : CurlMemory.take(size) },
            ccurl_give,
            { block, size in CurlMemory.resize(block, size) },
            { text in text.flatMap { ccurl_copy($0) } },
            { count, size in ccurl_take_zeroed(count, size) })
        return code == CURLE_OK
    }

    /// Keeps the small blocks that libcurl frees on this thread, until `endKeeping`. Not with a sanitizer.
    // Not inlined in other files, whose copies of the C functions would have a list of their own.
    @inline(never)
    static func beginKeeping() { if slots != nil { ccurl_begin_keeping() } }

    /// Frees what `beginKeeping` has kept on this thread.
    @inline(never)
    static func endKeeping() { ccurl_end_keeping() }

    @inline(never)
    private static func take(_ size: Int) -> UnsafeMutableRawPointer? {
        guard size <= slotRoom, let slots, let slot = idle.withLock({ $0.popLast() }) else { return ccurl_take(size) }
        return ccurl_begin_slot(slots + slot * slotSize) { CurlMemory.giveBack($0) }
    }

    @inline(never)
    private static func giveBack(_ block: UnsafeMutableRawPointer?) {
        guard let slots, let block else { return }
        let slot = (block - slots) / slotSize
        idle.withLock { $0.append(slot) }
    }

    private static func resize(_ block: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let block, ccurl_class_of(block) == CCURL_SLOT else {
            return ccurl_resize(block, size)
        }
        guard size > slotRoom else { return block }
        guard let larger = ccurl_take(size) else { return nil }
        larger.copyMemory(from: block, byteCount: slotRoom)
        giveBack(block)
        return larger
    }
}
