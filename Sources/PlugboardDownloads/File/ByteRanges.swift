/// A set of offsets of a file, as ranges in ascending order that neither overlap nor touch.
struct ByteRanges: Sendable, Equatable {
    private(set) var ranges: [Range<Int>] = []

    /// An empty set.
    init() {}

    init(_ range: Range<Int>) { insert(range) }

    /// The number of offsets.
    var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// The first offset that is missing.
    var prefix: Int { ranges.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0 }

    mutating func insert(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        // Most ranges extend an existing one.
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
        var last = first
        var merged = range
        while last < ranges.endIndex, ranges[last].lowerBound <= range.upperBound {
            merged = min(merged.lowerBound, ranges[last].lowerBound)..<max(merged.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [merged])
    }

    mutating func remove(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        ranges = ranges.flatMap { own -> [Range<Int>] in
            guard own.overlaps(range) else { return [own] }
            let before = own.lowerBound..<max(own.lowerBound, range.lowerBound)
            let after = min(range.upperBound, own.upperBound)..<own.upperBound
            return [before, after].filter { !$0.isEmpty }
        }
    }

    /// Whether the set has all offsets of a range.
    func contains(_ range: Range<Int>) -> Bool {
        // The last range that begins at or before this range.
        var first = 0
        var end = ranges.count
        while first < end {
            let middle = (first + end) / 2
            if ranges[middle].lowerBound <= range.lowerBound { first = middle + 1 } else { end = middle }
        }
        return first > 0 && ranges[first - 1].upperBound >= range.upperBound
    }

    /// The longest ranges.
    func largest(_ count: Int) -> ByteRanges {
        guard ranges.count > count else { return self }
        var largest = ByteRanges()
        largest.ranges = ranges.sorted { $0.count > $1.count }.prefix(count).sorted { $0.lowerBound < $1.lowerBound }
        return largest
    }

    /// The missing offsets below a length.
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

    /// The offsets in both sets.
    func common(with other: ByteRanges) -> ByteRanges {
        var common = self
        for range in other.missing(below: ranges.last?.upperBound ?? 0) { common.remove(range) }
        return common
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

extension ByteRanges: Codable {
    /// Reads `[first, end, first, end, …]`, in ascending order.
    init(from decoder: any Decoder) throws {
        let ends = try [Int](from: decoder)
        guard ends.count.isMultiple(of: 2), ends.first ?? 0 >= 0, zip(ends, ends.dropFirst()).allSatisfy(<) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "the ranges are not ascending"))
        }
        ranges = stride(from: 0, to: ends.count, by: 2).map { ends[$0]..<ends[$0 + 1] }
    }

    func encode(to encoder: any Encoder) throws {
        try ranges.flatMap { [$0.lowerBound, $0.upperBound] }.encode(to: encoder)
    }
}
