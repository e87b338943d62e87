import Synchronization

/// Which plugin's code runs, in one word of memory.
///
/// Written with plain stores, twice a call. The watchdog reads it; where the memory is a file's (`CrashNote`), the next start reads what a crash left.
///
/// Sendable because the word is atomic, and one thread at a time writes it: the loop, or who starts and ends plugins, each their own.
final class CallMark: @unchecked Sendable {
    private let word: UnsafeMutablePointer<Atomic<UInt64>>
    private let owner: AnyObject?
    private var serial: UInt64 = 0

    /// A call: whose, which hook, and a number that no other has soon.
    struct Call: Equatable {
        let place: Int
        let hook: CalledHook
        fileprivate let serial: UInt64

        /// Nil for a word that stands for no call.
        init?(word: UInt64) {
            guard word & 0xFFFF != 0, let hook = CalledHook(rawValue: UInt8(truncatingIfNeeded: word >> 16)) else {
                return nil
            }
            place = Int(word & 0xFFFF) - 1
            self.hook = hook
            serial = word >> 24
        }
    }

    /// In memory of its own.
    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(0))
        owner = nil
    }

    /// In memory that `owner` keeps; eight bytes, aligned.
    init(_ memory: UnsafeMutableRawPointer, of owner: AnyObject) {
        word = memory.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        word.initialize(to: Atomic(0))
        self.owner = owner
    }

    deinit {
        if owner == nil { word.deallocate() }
    }

    /// Returns what to `leave` with.
    @inline(__always)
    func enter(_ place: Int, _ hook: CalledHook) -> UInt64 {
        let outer = word.pointee.load(ordering: .relaxed)
        serial &+= 1
        word.pointee.store(
            serial << 24 | UInt64(hook.rawValue) << 16 | UInt64(place + 1), ordering: .relaxed)
        return outer
    }

    @inline(__always)
    func leave(_ outer: UInt64) { word.pointee.store(outer, ordering: .relaxed) }

    /// The call under way, if there is one. [any]
    var call: Call? { Call(word: word.pointee.load(ordering: .relaxed)) }
}
