import CPlugboardPCRE2

/// Memory of an evaluation besides the stack. It is kept and reused, so that most evaluations allocate nothing.
final class Scratch: @unchecked Sendable {  // One evaluation at a time has it.
    /// Marks of evaluated members and elements: regions of bits, the innermost one last.
    var marks: UnsafeMutablePointer<UInt64>
    var marksCapacity = 64
    var marksCount = 0
    /// The resources of the schemas that are being evaluated, the outermost one first.
    var scope: [UInt16] = []
    /// Hashes of elements with their tokens.
    var hashes: [(hash: UInt64, token: Int)] = []
    let matchData: OpaquePointer?
    /// The remaining steps of a counted match.
    let budget: UnsafeMutablePointer<CountedPattern.Budget>
    private var counted: OpaquePointer?

    init() {
        budget = .allocate(capacity: 1)
        budget.initialize(to: CountedPattern.Budget())
        marks = .allocate(capacity: marksCapacity)
        matchData = pcre2_match_data_create_8(1, nil)
    }

    deinit {
        marks.deallocate()
        pcre2_match_data_free_8(matchData)
        pcre2_match_context_free_8(counted)
        budget.deallocate()
    }

    /// The context of counted matches, which is created at its first use.
    func countedContext() -> OpaquePointer? {
        if counted == nil { counted = CountedPattern.context(budget) }
        return counted
    }

    /// Opens a region of zeros and returns its start.
    func open(_ words: Int) -> Int {
        if marksCount + words > marksCapacity {
            let capacity = max(marksCapacity * 2, marksCount + words)
            let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
            larger.update(from: marks, count: marksCount)
            marks.deallocate()
            marks = larger
            marksCapacity = capacity
        }
        let start = marksCount
        (marks + start).initialize(repeating: 0, count: words)
        marksCount += words
        return start
    }

    func reset() {
        marksCount = 0
        if !scope.isEmpty { scope.removeAll(keepingCapacity: true) }
        if hashes.capacity > 1 << 16 { hashes = [] }
    }
}
