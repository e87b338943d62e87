/// A number of bytes: a limit or a size.
public struct ByteCount: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number, which is never negative.
    public let bytes: Int

    /// A number of bytes; 0 for a negative one.
    public static func bytes(_ count: Int) -> ByteCount { ByteCount(bytes: max(count, 0)) }
    /// Units of 1024 bytes. Values beyond 64 bits are clamped.
    public static func kibibytes(_ count: Int) -> ByteCount { ByteCount(count, shift: 10) }
    /// Units of 1024 kibibytes. Values beyond 64 bits are clamped.
    public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(count, shift: 20) }
    /// Units of 1024 mebibytes. Values beyond 64 bits are clamped.
    public static func gibibytes(_ count: Int) -> ByteCount { ByteCount(count, shift: 30) }
    /// The largest number, which as a limit means no limit.
    public static var unlimited: ByteCount { ByteCount(bytes: .max) }

    private init(bytes: Int) { self.bytes = bytes }

    private init(_ count: Int, shift: Int) {
        let (bytes, overflow) = max(count, 0).multipliedReportingOverflow(by: 1 << shift)
        self.bytes = overflow ? .max : bytes
    }

    /// Reads a size as configurations write it: a whole number and `B`, `KiB`, `MiB` or `GiB`. Nil for any other text.
    public init?(_ text: some StringProtocol) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let shifts = ["B": 0, "KiB": 10, "MiB": 20, "GiB": 30]
        guard let count = Int(digits), let shift = shifts[String(text.dropFirst(digits.count))],
            count <= Int.max >> shift
        else { return nil }
        self.init(bytes: count << shift)
    }

    /// Compares numbers of bytes.
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

    /// The size as configurations write it, in the largest unit that divides it: `16MiB`.
    public var description: String {
        for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)]
        where bytes != 0 && bytes != .max && bytes & ((1 << shift) - 1) == 0 { return "\(bytes >> shift)\(unit)" }
        return bytes == .max ? "unlimited" : "\(bytes)B"
    }
}
