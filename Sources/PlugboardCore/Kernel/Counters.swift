import Synchronization

/// Numbers by name that operators can read: the kernel's and the plugins'. [any]
///
/// Adding takes no lock, because plugins count in every exchange, on every loop.
///
/// Sendable because the values are atomic, blocks stay where they are, and the names are under a lock.
final class Counters: @unchecked Sendable {
    /// Each block has room for twice as many values as the one before it.
    private static let firstBlock = 64
    private static let blockCount = 24

    private let numbers = Mutex<[String: UInt64]>([:])
    private let count = Atomic<UInt64>(0)
    /// A block is set before `count` includes the first of its counters.
    private let blocks: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<Atomic<Int64>>?>>

    init() {
        blocks = .allocate(capacity: Counters.blockCount)
        for index in 0..<Counters.blockCount { (blocks + index).initialize(to: Atomic(nil)) }
    }

    deinit {
        for index in 0..<Counters.blockCount { blocks[index].load(ordering: .relaxed)?.deallocate() }
        blocks.deallocate()
    }

    /// The number of the counter of this name, from 1 on; the counter is made if there is none.
    func number(of name: String) -> UInt64 {
        numbers.withLock { numbers in
            if let number = numbers[name] { return number }
            let number = UInt64(numbers.count) + 1
            let (block, index) = Counters.place(number)
            if index == 0 {
                let size = Counters.firstBlock << block
                let values = UnsafeMutablePointer<Atomic<Int64>>.allocate(capacity: size)
                for index in 0..<size { (values + index).initialize(to: Atomic(0)) }
                blocks[block].store(values, ordering: .relaxed)
            }
            numbers[name] = number
            count.store(number, ordering: .releasing)
            return number
        }
    }

    /// Ignores a number without a counter.
    func add(_ delta: Int64, to number: UInt64) {
        value(number)?.pointee.wrappingAdd(delta, ordering: .relaxed)
    }

    /// The values by name.
    var all: [String: Int64] {
        numbers.withLock { $0 }.mapValues { value($0)?.pointee.load(ordering: .relaxed) ?? 0 }
    }

    private func value(_ number: UInt64) -> UnsafeMutablePointer<Atomic<Int64>>? {
        guard number >= 1, number <= count.load(ordering: .acquiring) else { return nil }
        let (block, index) = Counters.place(number)
        return blocks[block].load(ordering: .relaxed).map { $0 + index }
    }

    /// Block 0 has the numbers 1 to 64, block 1 the next 128, and so on.
    private static func place(_ number: UInt64) -> (block: Int, index: Int) {
        let shifted = Int(number) - 1 + firstBlock
        let block = Int.bitWidth - 1 - shifted.leadingZeroBitCount - firstBlock.trailingZeroBitCount
        return (block, shifted - firstBlock << block)
    }
}
