import PlugboardMessages
import PlugboardSystem

/// The characters of a charset, from libc's tables (`iconv`).
final class SystemCharset {
    private let converter: iconv_t
    private let corrections: [UInt32: String]

    /// Creates a converter. Throws `body.decode` if libc has no such charset.
    init(_ name: String) throws(PlugboardError) {
        guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else {
            throw PlugboardError(
                .bodyDecode,
                "The body's charset \(name) cannot be read, because this system has no converter for it. Install libc's "
                    + "converters (gconv), or read the bytes.")
        }
        self.converter = converter
        corrections = CharsetCorrections.of(name)
    }

    deinit { iconv_close(converter) }

    /// Appends the text of one character of at most four bytes, in UTF-8. False if the bytes are not a character.
    func append(_ character: some Sequence<UInt8>, to text: inout [UInt8]) -> Bool {
        if !corrections.isEmpty, let correction = corrections[character.reduce(0) { $0 << 8 | UInt32($1) }] {
            text += correction.utf8
            return true
        }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            var left = 0
            for byte in character.prefix(4) {
                buffer[left] = CChar(bitPattern: byte)
                left += 1
            }
            var (input, output, room) = (buffer.baseAddress, buffer.baseAddress?.advanced(by: 4), 60)
            let isKnown = iconv(converter, &input, &left, &output, &room) != -1
            // Some converters hold a character back to compose it with a following accent.
            iconv(converter, nil, nil, &output, &room)
            if isKnown { text += buffer[4..<(64 - room)].lazy.map { UInt8(bitPattern: $0) } }
            return isKnown
        }
    }
}
