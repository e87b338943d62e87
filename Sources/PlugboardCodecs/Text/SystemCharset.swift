import PlugboardMessages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A charset that libc converts (`iconv`).
struct SystemCharset {
    let name: String

    init(_ name: String) { self.name = name }

    /// The text; a byte that does not fit becomes U+FFFD. Takes time that grows with the number of bytes.
    func text(of bytes: Bytes) throws(PlugboardError) -> String {
        guard let descriptor = iconv_open("UTF-8", name), descriptor != iconv_t(bitPattern: -1) else {
            throw PlugboardError(
                .bodyDecode,
                "The body's charset \(name) cannot be read, because this system has no converter for it. Install libc's "
                    + "converters (gconv), or read the bytes.")
        }
        defer { iconv_close(descriptor) }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        bytes.withUnsafeBytes { convert($0, descriptor, into: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    private func convert(_ bytes: UnsafeRawBufferPointer, _ descriptor: iconv_t, into text: inout [UInt8]) {
        // iconv does not write to its input, although its type allows it.
        var next = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
        var left = bytes.count
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            // At the end, a call without input writes what a charset with shift states still holds.
            var isFlushing = left == 0
            while true {
                var output = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                var room = buffer.count
                let result =
                    isFlushing
                    ? iconv(descriptor, nil, nil, &output, &room) : iconv(descriptor, &next, &left, &output, &room)
                let cause = errno
                text.append(contentsOf: buffer[..<(buffer.count - room)])
                if result != -1 {
                    if isFlushing { return }
                    isFlushing = true
                } else if cause != E2BIG {
                    text += [0xEF, 0xBF, 0xBD]
                    if isFlushing { return }
                    if cause == EINVAL || left <= 1 {
                        // A character that is cut at the end.
                        isFlushing = true
                        continue
                    }
                    next = next?.advanced(by: 1)
                    left -= 1
                }
            }
        }
    }
}
