extension RandomNumberGenerator {
    /// Fills memory with eight bytes from each draw, because each draw is a system call.
    mutating func fill(_ memory: UnsafeMutableRawBufferPointer) {
        var rest = memory[...]
        while !rest.isEmpty {
            let draw: UInt64 = next()
            let part = rest.prefix(MemoryLayout<UInt64>.size)
            withUnsafeBytes(of: draw.littleEndian) { drawn in
                UnsafeMutableRawBufferPointer(rebasing: part).copyBytes(from: drawn.prefix(part.count))
            }
            rest = rest.dropFirst(part.count)
        }
    }
}
