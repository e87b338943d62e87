import PlugboardSystem

/// Reads numbers and texts from bytes that are not trusted. Anything outside the bytes is nil, and no number overflows.
///
/// Numbers are read in the byte order of this machine: files in the other order are refused earlier, by the bytes of
/// their header.
struct ELFReader {
    let bytes: [UInt8]

    /// The range of `count` bytes from `offset` on; nil if it is not inside the bytes.
    func range(_ offset: UInt64, _ count: UInt64) -> Range<Int>? {
        let (end, overflows) = offset.addingReportingOverflow(count)
        guard !overflows, end <= UInt64(bytes.count) else { return nil }
        return Int(offset)..<Int(end)
    }

    /// The range of a table of `count` entries.
    func range(_ offset: UInt64, entries count: UInt64, size: UInt64) -> Range<Int>? {
        let (length, overflows) = count.multipliedReportingOverflow(by: size)
        return overflows ? nil : range(offset, length)
    }

    /// The number at an offset.
    func number<Number: FixedWidthInteger>(_ offset: UInt64, as type: Number.Type = Number.self) -> Number? {
        guard let range = range(offset, UInt64(MemoryLayout<Number>.size)) else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: range.lowerBound, as: type) }
    }

    /// The bytes from an offset to the next NUL before `end`; nil if there is no NUL, or if they are more than `limit`.
    func text(_ offset: UInt64, before end: Int, limit: Int) -> ArraySlice<UInt8>? {
        guard let start = Int(exactly: offset), start < end, end <= bytes.count else { return nil }
        let count = min(end - start, limit + 1)
        let length = bytes.withUnsafeBytes { bytes -> Int? in
            guard let first = bytes.baseAddress?.advanced(by: start), let found = memchr(first, 0, count) else {
                return nil
            }
            return UnsafeRawPointer(found) - first
        }
        return length.map { bytes[start..<start + $0] }
    }
}
