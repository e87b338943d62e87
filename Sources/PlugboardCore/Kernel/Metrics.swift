import PlugboardBorder
import Synchronization

/// Numbers that operators and exporters read: the kernel's and the plugins'. [any]
///
/// Adding takes no lock, because plugins count in every exchange, on every loop.
///
/// Sendable because values are atomic, cells stay where they are, and the rest is under a lock.
final class Metrics: @unchecked Sendable {
    /// How many metrics one plugin may have.
    static let limit = 2000
    /// Each block has room for twice as many metrics as the one before it.
    private static let firstBlock = 64
    private static let blockCount = 24

    /// The memory of one metric.
    private struct Cell: ~Copyable {
        let kind: Metric.Kind
        let value = Atomic<Int64>(0)
        let histogram: Histogram?
    }

    private struct State {
        var numbers: [Key: UInt64] = [:]
        /// The keys by number, from 1 on.
        var keys: [Key] = []
        /// The kind and bounds of each name.
        var forms: [String: Form] = [:]
        /// How many metrics each owner has.
        var counts: [String: Int] = [:]
    }

    private struct Key: Hashable {
        let name: String
        let labels: [Metric.Label]
    }

    private struct Form: Equatable {
        let kind: Metric.Kind
        let bounds: [Int64]
    }

    private let state = Mutex(State())
    private let count = Atomic<UInt64>(0)
    /// A cell is made before `count` includes it.
    private let blocks: UnsafeMutablePointer<Atomic<UnsafeMutablePointer<Cell>?>>

    init() {
        blocks = .allocate(capacity: Metrics.blockCount)
        for index in 0..<Metrics.blockCount { (blocks + index).initialize(to: Atomic(nil)) }
    }

    deinit {
        for number in 0..<count.load(ordering: .relaxed) { cell(number + 1)?.deinitialize(count: 1) }
        for index in 0..<Metrics.blockCount { blocks[index].load(ordering: .relaxed)?.deallocate() }
        blocks.deallocate()
    }

    /// Returns the number of a metric, from 1 on. A metric that does not exist is made. Returns 0 if its owner has
    /// `limit` metrics already, and if the name has another kind or other bounds.
    ///
    /// - Parameters:
    ///   - labels: The labels, sorted by name.
    ///   - owner: The id of the plugin; nil for the kernel, which has no limit.
    func number(
        of name: String, _ kind: Metric.Kind = .counter, labels: [Metric.Label] = [], bounds: [Int64] = [],
        owner: String? = nil
    ) -> UInt64 {
        let (key, form) = (Key(name: name, labels: labels), Form(kind: kind, bounds: bounds))
        return state.withLock { state in
            guard state.forms[name, default: form] == form else { return 0 }
            if let number = state.numbers[key] { return number }
            if let owner {
                guard state.counts[owner, default: 0] < Metrics.limit else { return 0 }
                state.counts[owner, default: 0] += 1
            }
            let number = UInt64(state.keys.count) + 1
            let (block, index) = Metrics.place(number)
            if index == 0 { blocks[block].store(.allocate(capacity: Metrics.firstBlock << block), ordering: .relaxed) }
            blocks[block].load(ordering: .relaxed).map { cells in
                (cells + index).initialize(
                    to: Cell(kind: kind, histogram: kind == .histogram ? Histogram(bounds) : nil))
            }
            state.numbers[key] = number
            state.keys.append(key)
            state.forms[name] = form
            count.store(number, ordering: .releasing)
            return number
        }
    }

    /// Adds to a counter or a gauge; ignores other numbers.
    func add(_ delta: Int64, to number: UInt64) {
        guard let cell = cell(number), cell.pointee.kind != .histogram else { return }
        cell.pointee.value.wrappingAdd(delta, ordering: .relaxed)
    }

    /// Sets a gauge; ignores another number.
    func set(_ number: UInt64, to value: Int64) {
        guard let cell = cell(number), cell.pointee.kind == .gauge else { return }
        cell.pointee.value.store(value, ordering: .relaxed)
    }

    /// Counts a value in a histogram; ignores other numbers.
    func observe(_ value: Int64, in number: UInt64) {
        guard let cell = cell(number), let histogram = cell.pointee.histogram else { return }
        cell.pointee.value.wrappingAdd(value, ordering: .relaxed)
        histogram.observe(value)
    }

    /// All metrics as they are now, in the order of their names and labels.
    var all: [Metric] {
        state.withLock { $0.keys }.enumerated().compactMap { index, key in
            guard let cell = cell(UInt64(index) + 1) else { return nil }
            let value = cell.pointee.value.load(ordering: .relaxed)
            return Metric(
                name: key.name, labels: key.labels, kind: cell.pointee.kind, value: value,
                bounds: cell.pointee.histogram?.bounds ?? [], counts: cell.pointee.histogram?.all ?? [])
        }.sorted { one, other in
            one.name == other.name ? one.labels.lexicographicallyPrecedes(other.labels) : one.name < other.name
        }
    }

    /// The values of counters without labels, by their names.
    var counters: [String: Int64] {
        let all = all.lazy.filter { $0.kind == .counter && $0.labels.isEmpty }.map { ($0.name, $0.value) }
        return Dictionary(all) { first, _ in first }
    }

    private func cell(_ number: UInt64) -> UnsafeMutablePointer<Cell>? {
        guard number >= 1, number <= count.load(ordering: .acquiring) else { return nil }
        let (block, index) = Metrics.place(number)
        return blocks[block].load(ordering: .relaxed).map { $0 + index }
    }

    /// Block 0 has the numbers 1 to 64, block 1 the next 128, and so on.
    private static func place(_ number: UInt64) -> (block: Int, index: Int) {
        let shifted = Int(number) - 1 + firstBlock
        let block = Int.bitWidth - 1 - shifted.leadingZeroBitCount - firstBlock.trailingZeroBitCount
        return (block, shifted - firstBlock << block)
    }

    /// How many values are up to each bound, and above all. Sendable because the counts are atomic and stay where they
    /// are.
    private final class Histogram: @unchecked Sendable {
        let bounds: [Int64]
        private let counts: UnsafeMutablePointer<Atomic<UInt64>>

        init(_ bounds: [Int64]) {
            self.bounds = bounds
            counts = .allocate(capacity: bounds.count + 1)
            for index in 0...bounds.count { (counts + index).initialize(to: Atomic(0)) }
        }

        deinit { counts.deallocate() }

        func observe(_ value: Int64) {
            var (low, high) = (0, bounds.count)
            while low < high {
                let middle = (low + high) / 2
                if bounds[middle] < value { low = middle + 1 } else { high = middle }
            }
            counts[low].wrappingAdd(1, ordering: .relaxed)
        }

        var all: [UInt64] { (0...bounds.count).map { counts[$0].load(ordering: .relaxed) } }
    }
}
