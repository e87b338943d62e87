import Synchronization

/// Which plugin's code a loop runs, in one word of memory.
///
/// Written with plain stores, twice a call. The watchdog reads it. If the memory belongs to a file (`CrashNote`), the
/// next start reads what a crash has left in it.
///
/// Sendable because the word is atomic, and only the loop writes it.
final class CallMark: @unchecked Sendable {
    private let word: UnsafeMutablePointer<Atomic<UInt64>>
    private let owner: CrashNote?
    /// The number of the last call, in its place in the word.
    private var serial: UInt64 = 0

    /// A call: the slot of its plugin, the function, and a number that distinguishes it from earlier and later calls.
    struct Call: Equatable {
        let slot: Int
        let hook: CalledHook
        private let serial: UInt64

        init(_ slot: Int, _ hook: CalledHook, serial: UInt64 = 0) {
            self.slot = slot
            self.hook = hook
            self.serial = serial
        }

        /// Nil for a word that stands for no call.
        init?(word: UInt64) {
            guard word & 0xFFFF != 0, let hook = CalledHook(rawValue: UInt8(truncatingIfNeeded: word >> 16)) else {
                return nil
            }
            self.init(Int(word & 0xFFFF) - 1, hook, serial: word >> Call.serialShift)
        }

        /// The call as a word; never 0.
        @inline(__always)
        var word: UInt64 {
            serial << Call.serialShift | UInt64(hook.rawValue) << 16 | (UInt64(truncatingIfNeeded: slot &+ 1) & 0xFFFF)
        }

        fileprivate static var serialShift: UInt64 { 24 }
    }

    /// Uses the note's memory for the loop of this index, or memory of its own.
    init(in note: CrashNote?, loop: Int = 0) {
        owner = note
        if let note {
            word = note.word(ofLoop: loop)
        } else {
            // Cache lines of its own, because the word is written twice a call.
            word = UnsafeMutableRawPointer.allocate(byteCount: LoneCount.size, alignment: LoneCount.size)
                .initializeMemory(as: Atomic<UInt64>.self, to: Atomic(0))
        }
    }

    deinit {
        if owner == nil { word.deallocate() }
    }

    /// A series of calls in which no function of a plugin is called twice. The calls share a number, which, with the
    /// slot and the function, still distinguishes each call from all others.
    struct Round {
        fileprivate let word: UnsafeMutablePointer<Atomic<UInt64>>
        fileprivate let number: UInt64
        fileprivate let outer: UInt64

        /// Notes that the next call begins; `call` is its word without a number. [loop]
        @inline(__always)
        func begin(_ call: UInt64) { word.pointee.store(number | call, ordering: .relaxed) }

        /// Notes that the last call has returned. [loop]
        @inline(__always)
        func end() { word.pointee.store(outer, ordering: .relaxed) }
    }

    /// Begins a round, which is valid as long as the mark. [loop]
    @inline(__always)
    func beginRound() -> Round {
        serial &+= 1 << Call.serialShift
        return Round(word: word, number: serial, outer: word.pointee.load(ordering: .relaxed))
    }

    /// Notes that a single call begins. [loop]
    @inline(__always)
    func enter(_ slot: Int, _ hook: CalledHook) -> Round {
        let round = beginRound()
        round.begin(Call(slot, hook).word)
        return round
    }

    /// The call under way, if there is one. [any]
    var call: Call? { Call(word: word.pointee.load(ordering: .relaxed)) }
}
