/// The hash of keys, with which members are found. Its seed differs from process to process.
enum KeyHash {
    private static let seed: UInt64 = UInt64.random(in: .min ... .max)
    private static let factor: UInt64 = 0xA076_1D64_78BD_642F

    /// Eight bytes after the text must be readable.
    @inline(__always)
    static func hash(_ text: UnsafePointer<UInt8>, _ count: Int, seed: UInt64) -> UInt32 {
        let raw = UnsafeRawPointer(text)
        var hash = seed ^ UInt64(truncatingIfNeeded: count) &* 0xE703_7ED1_A0B4_28DB
        var offset = 0
        while offset &+ 8 <= count {
            hash = mix(hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset &+= 8
        }
        let rest = count &- offset
        if rest > 0 {
            let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            hash = mix(hash ^ (word & ((1 &<< UInt64(truncatingIfNeeded: rest &* 8)) &- 1)))
        }
        return UInt32(truncatingIfNeeded: hash ^ (hash &>> 32))
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }

    static var processSeed: UInt64 { seed }
}
