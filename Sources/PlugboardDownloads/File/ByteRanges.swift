/// A set of offsets of a file, as ranges in ascending order that neither overlap nor touch.
struct ByteRanges: Sendable, Equatable {
    private(set) var ranges: [Range<Int>] = []

    /// No offsets.
    init() {}

    init(_ range: Range<Int>) { insert(range) }

    /// How many offsets there are.
    var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// The first offset that is missing.
    var prefix: Int { ranges.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0 }

    mutating func insert(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        // Most ranges continue one that is there.
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
        var last = first
        var merged = range
        while last < ranges.endIndex, ranges[last].lowerBound <= range.upperBound {
            merged = min(merged.lowerBound, ranges[last].lowerBound)..<max(merged.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [merged])
    }

    /// The offsets below a length that are missing.
    func missing(below length: Int) -> [Range<Int>] {
        var missing: [Range<Int>] = []
        var next = 0
        for range in ranges where next < length {
            if range.lowerBound > next { missing.append(next..<min(range.lowerBound, length)) }
            next = range.upperBound
        }
        if next < length { missing.append(next..<length) }
        return missing
    }

    /// The offsets below a length.
    func clipped(to length: Int) -> ByteRanges {
        var clipped = ByteRanges()
        for range in ranges where range.lowerBound < length {
            clipped.ranges.append(range.lowerBound..<min(range.upperBound, length))
        }
        return clipped
    }
}
