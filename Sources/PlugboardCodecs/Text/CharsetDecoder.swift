import PlugboardMessages

/// Reads texts in the older encodings of the WHATWG Encoding standard (§9 to §14), by their names in libc.
///
/// The characters come from libc's tables, but the ends of sequences are those of the standard: libc composes accents,
/// and resumes at another byte than browsers after invalid bytes. Takes linear time.
struct CharsetDecoder {
    private let name: String
    private let charset: SystemCharset
    /// The two-byte characters of all Japanese encodings.
    private let japanese: SystemCharset?
    private var text: [UInt8] = []

    /// The text; invalid bytes become U+FFFD.
    static func text(of bytes: Bytes, charset name: String) throws(PlugboardError) -> String {
        var decoder = try CharsetDecoder(name)
        return bytes.withUnsafeBytes { bytes in
            decoder.decode(bytes)
            return String(decoding: decoder.text, as: UTF8.self)
        }
    }

    private init(_ name: String) throws(PlugboardError) {
        self.name = name
        charset = try SystemCharset(name)
        japanese = name == "EUC-JP" || name == "ISO-2022-JP" ? try SystemCharset("CP932") : nil
    }

    private mutating func decode(_ bytes: UnsafeRawBufferPointer) {
        text.reserveCapacity(bytes.count * 2)
        switch name {
        case "ISO-2022-JP": decodeWithEscapes(bytes)
        case "BIG5-HKSCS", "CP932", "CP949", "EUC-JP", "GB18030": decodeSequences(bytes)
        default: decodeSingleBytes(bytes)
        }
    }

    private mutating func appendReplacement() { text += [0xEF, 0xBF, 0xBD] }

    private mutating func append(_ character: some Sequence<UInt8>) -> Bool { charset.append(character, to: &text) }

    // MARK: One byte a character (§9)

    private mutating func decodeSingleBytes(_ bytes: UnsafeRawBufferPointer) {
        let characters: [[UInt8]] = (0x80...0xFF as ClosedRange<UInt8>).map { byte in
            var character: [UInt8] = []
            if charset.append(CollectionOfOne(byte), to: &character) { return character }
            // libc omits the control characters of the code pages of Windows.
            return byte < 0xA0 ? [0xC2, byte] : [0xEF, 0xBF, 0xBD]
        }
        for byte in bytes {
            if byte < 0x80 { text.append(byte) } else { text += characters[Int(byte & 0x7F)] }
        }
    }

    // MARK: Several bytes a character (§10 to §14, without ISO-2022-JP)

    private mutating func decodeSequences(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if bytes[index] < 0x80 {
                text.append(bytes[index])
                index += 1
            } else {
                index += decodeSequence(bytes[index...])
            }
        }
    }

    /// Reads a sequence and returns the number of its bytes. An invalid sequence ends before an ASCII byte, which may
    /// belong to the following text or syntax.
    private mutating func decodeSequence(_ rest: Slice<UnsafeRawBufferPointer>) -> Int {
        let first = rest[rest.startIndex]
        guard isLead(first) else {
            if !appendSingle(first) { appendReplacement() }
            return 1
        }
        let sequence = rest.prefix(4)
        guard let second = sequence.dropFirst().first else { return replace(1) }
        if name == "GB18030", 0x30...0x39 ~= second {
            for (position, range) in [(2, 0x81...0xFE), (3, 0x30...0x39)] as [(Int, ClosedRange<UInt8>)] {
                guard let byte = sequence.dropFirst(position).first else { return replace(sequence.count) }
                guard range ~= byte else { return replace(1) }
            }
            return append(sequence) ? 4 : replace(4)
        }
        if name == "EUC-JP" {
            if first == 0x8F, 0xA1...0xFE ~= second {
                guard let third = sequence.dropFirst(2).first else { return replace(2) }
                return append(sequence.prefix(3)) ? 3 : replace(third < 0x80 ? 2 : 3)
            }
            if first != 0x8E, 0xA1...0xFE ~= second, appendJapanese(first & 0x7F, second & 0x7F) { return 2 }
            if first == 0x8E, 0xA1...0xDF ~= second, append(sequence.prefix(2)) { return 2 }
            return replace(second < 0x80 ? 1 : 2)
        }
        return append(sequence.prefix(2)) ? 2 : replace(second < 0x80 ? 1 : 2)
    }

    private mutating func replace(_ count: Int) -> Int {
        appendReplacement()
        return count
    }

    private func isLead(_ byte: UInt8) -> Bool {
        switch name {
        case "CP932": 0x81...0x9F ~= byte || 0xE0...0xFC ~= byte
        case "EUC-JP": 0xA1...0xFE ~= byte || byte == 0x8E || byte == 0x8F
        default: 0x81...0xFE ~= byte
        }
    }

    private mutating func appendSingle(_ byte: UInt8) -> Bool {
        switch (name, byte) {
        case ("GB18030", 0x80): text += "€".utf8
        case ("CP932", 0x80): text += "\u{80}".utf8
        case ("CP932", 0xA1...0xDF): return append(CollectionOfOne(byte))
        default: return false
        }
        return true
    }

    /// Appends a character of JIS X 0208 by its row and column, each from 21 to 7E.
    private mutating func appendJapanese(_ row: UInt8, _ column: UInt8) -> Bool {
        guard let japanese else { return false }
        let (row, column) = (row - 0x21, column - 0x21)
        let lead = row / 2 + (row < 62 ? 0x81 : 0xC1)
        let trail = row % 2 == 0 ? column + (column < 63 ? 0x40 : 0x41) : column + 0x9F
        return japanese.append([lead, trail], to: &text)
    }

    // MARK: ISO-2022-JP (§12.2)

    private enum Mode {
        case ascii, roman, katakana, japanese
    }

    private mutating func decodeWithEscapes(_ bytes: UnsafeRawBufferPointer) {
        var mode = Mode.ascii
        // Two escapes without a character between them are an error, because they could hide text from a filter.
        var isAfterEscape = false
        var index = 0
        while index < bytes.count {
            let rest = bytes[index...].prefix(3)
            if let next = escape(rest) {
                mode = next
                if isAfterEscape { appendReplacement() }
                isAfterEscape = true
                index += 3
                continue
            }
            isAfterEscape = false
            switch (mode, bytes[index]) {
            case (.roman, 0x5C): text += "¥".utf8
            case (.roman, 0x7E): text += "‾".utf8
            case (_, 0x1B), (.ascii, 0x0E...0x0F), (.roman, 0x0E...0x0F): appendReplacement()
            case (.ascii, 0..<0x80), (.roman, 0..<0x80): text.append(bytes[index])
            // U+FF61 and the following ones.
            case (.katakana, 0x21...0x5F):
                let character = 0xFF40 + UInt16(bytes[index])
                text += [0xEF, UInt8(0x80 | character >> 6 & 0x3F), UInt8(0x80 | character & 0x3F)]
            case (.japanese, 0x21...0x7E):
                let column = rest.dropFirst().first
                let isRead = column.map { 0x21...0x7E ~= $0 && appendJapanese(bytes[index], $0) } ?? false
                if !isRead { appendReplacement() }
                // ESC is not consumed here, so that it is read as an escape.
                if column != 0x1B { index += 1 }
            default: appendReplacement()
            }
            index += 1
        }
    }

    private func escape(_ sequence: Slice<UnsafeRawBufferPointer>) -> Mode? {
        guard sequence.count == 3, sequence.first == 0x1B else { return nil }
        switch (sequence.dropFirst().first, sequence.last) {
        case (0x28, 0x42): return .ascii
        case (0x28, 0x4A): return .roman
        case (0x28, 0x49): return .katakana
        case (0x24, 0x40), (0x24, 0x42): return .japanese
        default: return nil
        }
    }
}
