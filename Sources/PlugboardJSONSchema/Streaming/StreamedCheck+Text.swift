@_spi(Tape) import PlugboardJSON

extension StreamedCheck {
    /// Reads the next token; false if it is incomplete.
    mutating func step() throws(JSONFailure) -> Bool {
        if expected == .start { return skipByteOrderMark() }
        parser.skipSpace()
        guard parser.cursor < parser.size else { return false }
        try parser.reserve(2)
        let byte = parser.bytes[parser.cursor]
        switch expected {
        case .start: return false
        case .value: return try value(byte)
        case .firstElement:
            return byte == UInt8(ascii: "]") ? try close() : try value(byte)
        case .firstKey:
            return byte == UInt8(ascii: "}") ? try close() : try key(byte)
        case .key: return try key(byte)
        case .colon:
            guard byte == UInt8(ascii: ":") else { throw parser.unexpected("\":\"") }
            parser.cursor += 1
            expected = .value
            return true
        case .separator:
            let isObject = frames[frames.count - 1].isObject
            if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return try close() }
            guard byte == UInt8(ascii: ",") else {
                throw parser.unexpected(isObject ? "\",\" or \"}\"" : "\",\" or \"]\"")
            }
            parser.cursor += 1
            expected = isObject ? .key : .value
            return true
        case .end: throw parser.unexpected("the end of the text")
        }
    }

    private mutating func skipByteOrderMark() -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let count = min(3, parser.size)
        let isMark = (0..<count).allSatisfy { parser.bytes[$0] == mark[$0] }
        if isMark, count < 3, !isFinal { return false }
        if isMark, count == 3 { parser.cursor = 3 }
        expected = .value
        return true
    }

    private mutating func key(_ byte: UInt8) throws(JSONFailure) -> Bool {
        guard byte == UInt8(ascii: "\"") else { throw parser.unexpected("a key in double quotes") }
        guard try string(.key) else { return false }
        if keptFrame >= 0 { parser.tokens[parser.container].count &+= 1 }
        expected = .colon
        try beginMember(parser.tokenCount - 1)
        if keptFrame < 0 { parser.tokenCount = 0 }
        return true
    }

    private mutating func value(_ byte: UInt8) throws(JSONFailure) -> Bool {
        if !isPrepared { prepareValue() }
        guard failure == nil else { return false }
        switch byte {
        case UInt8(ascii: "{"): return try open(.object)
        case UInt8(ascii: "["): return try open(.array)
        case UInt8(ascii: "\""): return try string(.string) ? scalar() : unfinished([.string])
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard hasWholeNumber() else { return unfinished([.integer, .decimal, .bigInteger, .bigDecimal]) }
            try parser.number()
            return scalar()
        case UInt8(ascii: "t"): return try word("true", .true) ? scalar() : unfinished([.true])
        case UInt8(ascii: "f"): return try word("false", .false) ? scalar() : unfinished([.false])
        case UInt8(ascii: "n"): return try word("null", .null) ? scalar() : unfinished([.null])
        default: throw parser.unexpected("a value")
        }
    }

    private mutating func word(_ word: StaticString, _ kind: JSONToken.Kind) throws(JSONFailure) -> Bool {
        let available = min(word.utf8CodeUnitCount, parser.size - parser.cursor)
        let isBegin = (0..<available).allSatisfy { parser.bytes[parser.cursor + $0] == word.utf8Start[$0] }
        if isBegin, available < word.utf8CodeUnitCount, !isFinal { return false }
        try parser.word(word, kind)
        return true
    }

    /// Whether the number at the cursor ends in the window.
    private mutating func hasWholeNumber() -> Bool {
        var read = max(scanned, parser.cursor)
        while true {
            switch parser.bytes[read] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                read += 1
            default:
                let isWhole = read < parser.size || isFinal
                scanned = isWhole ? 0 : read
                return isWhole
            }
        }
    }

    /// Reads the string at the cursor if it ends in the window.
    private mutating func string(_ kind: JSONToken.Kind) throws(JSONFailure) -> Bool {
        let start = parser.cursor + 1
        // A string that began in an earlier piece may contain escapes.
        var isPlain = scanned == 0
        var read = max(scanned, start)
        while true {
            let (end, isASCII) = parser.textEnd(from: read)
            if !isASCII {
                isPlain = false
                while read < min(end, parser.size) {
                    guard let count = try parser.sequenceLength(at: read) else { return try unfinishedString(read) }
                    read += count
                }
            }
            read = end
            guard read < parser.size else { break }
            switch parser.bytes[read] {
            case UInt8(ascii: "\""):
                scanned = 0
                if isPlain { parser.plainString(kind, start, read) } else { try parser.string(kind) }
                return true
            case UInt8(ascii: "\\"):
                isPlain = false
                guard let count = try parser.escapeLength(at: read) else { return try unfinishedString(read) }
                read += count
            default: throw parser.failure("a control character in a string must be escaped", at: read)
            }
        }
        return try unfinishedString(parser.size)
    }

    private mutating func unfinishedString(_ read: Int) throws(JSONFailure) -> Bool {
        if isFinal { throw parser.unclosed() }
        scanned = read
        return false
    }
}

extension JSONTapeParser {
    /// The number of bytes of the escape at an offset, with both halves of a pair of surrogates; nil if incomplete.
    fileprivate func escapeLength(at offset: Int) throws(JSONFailure) -> Int? {
        let available = size - offset
        guard available >= 2 else { return nil }
        if bytes[offset + 1] != UInt8(ascii: "u") {
            var read = offset
            _ = try escape(&read)
            return read - offset
        }
        guard available >= 6 else { return nil }
        let isFirstOfPair = bytes[offset + 2] | 0x20 == UInt8(ascii: "d") && "89abAB".utf8.contains(bytes[offset + 3])
        // The second half is needed only if the first one is valid so far.
        if isFirstOfPair, available < 12 {
            let begin: [UInt8] = [UInt8(ascii: "\\"), UInt8(ascii: "u")]
            if zip(6..<min(available, 8), begin).allSatisfy({ bytes[offset + $0] == $1 }) { return nil }
        }
        var read = offset
        _ = try escape(&read)
        return read - offset
    }

    /// The number of bytes of the sequence at an offset; nil if incomplete.
    fileprivate func sequenceLength(at offset: Int) throws(JSONFailure) -> Int? {
        if bytes[offset] < 0x80 { return 1 }
        let count = JSONTapeParser.sequence(bytes + offset)
        if count > 0 { return count }
        let wanted = bytes[offset] >= 0xF0 ? 4 : bytes[offset] >= 0xE0 ? 3 : 2
        let rest = size - offset
        let isPossible =
            (0xC2...0xF4).contains(bytes[offset])
            && (1..<max(rest, 1)).allSatisfy {
                bytes[offset + $0] & 0xC0 == 0x80
            }
        guard isPossible, rest < wanted else { throw failure("the text is not valid UTF-8", at: offset) }
        return nil
    }

    /// The number of bytes, two to four, of the sequence at an address; 0 if it is not UTF-8 (RFC 3629 §4).
    private static func sequence(_ at: UnsafePointer<UInt8>) -> Int {
        @inline(__always) func isRest(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
        switch at[0] {
        case 0xC2...0xDF: return isRest(at[1]) ? 2 : 0
        case 0xE0: return at[1] >= 0xA0 && at[1] <= 0xBF && isRest(at[2]) ? 3 : 0
        case 0xED: return at[1] >= 0x80 && at[1] <= 0x9F && isRest(at[2]) ? 3 : 0
        case 0xE1...0xEF: return isRest(at[1]) && isRest(at[2]) ? 3 : 0
        case 0xF0: return at[1] >= 0x90 && at[1] <= 0xBF && isRest(at[2]) && isRest(at[3]) ? 4 : 0
        case 0xF1...0xF3: return isRest(at[1]) && isRest(at[2]) && isRest(at[3]) ? 4 : 0
        case 0xF4: return at[1] >= 0x80 && at[1] <= 0x8F && isRest(at[2]) && isRest(at[3]) ? 4 : 0
        default: return 0
        }
    }
}
