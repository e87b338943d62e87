import Synchronization

/// A number that many threads change, in cache lines of its own: changing it does not take lines from the caches of
/// threads that read the memory beside it.
///
/// Sendable because the number is atomic, and its address never changes.
final class LoneCount: @unchecked Sendable {
    /// Two lines, because processors load them in pairs.
    static let size = 128

    private let memory: UnsafeMutablePointer<Atomic<Int>>

    init() {
        memory = UnsafeMutableRawPointer.allocate(byteCount: LoneCount.size, alignment: LoneCount.size)
            .initializeMemory(as: Atomic<Int>.self, to: Atomic(0))
    }

    deinit { memory.deallocate() }

    @inline(__always)
    var value: Int { memory.pointee.load(ordering: .relaxed) }

    @inline(__always)
    func add(_ delta: Int) { memory.pointee.add(delta, ordering: .relaxed) }
}
