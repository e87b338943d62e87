import PlugboardTransport

/// Reads heads and trailers from the lines that libcurl delivers (RFC 9112 §4, §5).
///
/// It owns plain memory, which it uses again for the next message, and which `deallocate` releases.
struct HeadReader {
    /// The result of a line.
    enum Step {
        case more
        /// The empty line after a 1xx head.
        case interim
        /// The empty line after the final head.
        case final
        case trailer
        /// `complaint` says what is wrong.
        case malformed
    }

    fileprivate enum Phase { case start, fields, done }

    /// The most folded lines in one head. They are obsolete (RFC 9112 §5.2).
    fileprivate static let foldLimit = 100

    private var byteLimit: Int
    private var fieldLimit: Int
    fileprivate var phase = Phase.start
    private var byteCount = 0
    fileprivate var foldCount = 0
    private(set) var status = 0
    private(set) var reason = ""
    private(set) var version = ResponseHead.Version.http11
    fileprivate var fields = FieldBuffer()
    fileprivate(set) var trailers = FieldBuffer()
    private(set) var hasTransferEncoding = false
    /// Whether the body uses the chunked coding, which marks its end.
    private(set) var isChunked = false
    /// The value of `Content-Length`, even if `Transfer-Encoding` overrides it.
    private(set) var contentLength: Int?
    /// Whether the body ends with the connection (RFC 9112 §6.3).
    var endsWithConnection: Bool { contentLength == nil && !isChunked && version != .http2 }
    /// What is wrong with the malformed line, as the end of a sentence.
    private(set) var complaint = ""

    init(byteLimit: Int, fieldLimit: Int) {
        self.byteLimit = byteLimit
        self.fieldLimit = fieldLimit
    }

    func deallocate() {
        fields.deallocate()
        trailers.deallocate()
    }

    /// Prepares for the next message.
    mutating func begin(byteLimit: Int, fieldLimit: Int) {
        fields.removeAll()
        trailers.removeAll()
        let (fields, trailers) = (fields, trailers)
        self = HeadReader(byteLimit: byteLimit, fieldLimit: fieldLimit)
        (self.fields, self.trailers) = (fields, trailers)
    }

    var isFinal: Bool { phase == .done }
    /// Whether the first line of a head was read.
    var hasBegun: Bool { phase != .start }

    /// RFC 9112 §6.3: `Transfer-Encoding` overrides `Content-Length`, which is then wrong and is removed.
    mutating func takeHead() -> ResponseHead {
        var fields = fields.take()
        if hasTransferEncoding, contentLength != nil { fields[.contentLength] = nil }
        return ResponseHead(status: status, reason: reason, version: version, fields: fields)
    }

    mutating func takeTrailers() -> Fields { trailers.take() }

    /// Reads one line with its line break. The bytes of interim heads count towards the limit.
    @inline(__always)
    mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
        byteCount += line.count
        if byteCount > byteLimit { return malformed("is larger than the \(byteLimit) bytes allowed") }
        var end = line.count
        if end > 0, line[end - 1] == 0x0A { end -= 1 }
        if end > 0, line[end - 1] == 0x0D { end -= 1 }
        let text = UnsafeRawBufferPointer(rebasing: line[..<end])
        switch phase {
        case .start: return readStatus(text)
        case .fields: return text.isEmpty ? endHead() : readField(text)
        case .done: return text.isEmpty ? .more : readField(text)
        }
    }

    private mutating func readStatus(_ line: UnsafeRawBufferPointer) -> Step {
        let scanner = StatusLine(line)
        guard let scanner else { return malformed("does not begin with a status line") }
        (version, status, reason) = (scanner.version, scanner.status, scanner.reason)
        phase = .fields
        contentLength = nil
        (hasTransferEncoding, isChunked) = (false, false)
        return .more
    }

    private mutating func endHead() -> Step {
        // 101 is final: no HTTP follows after it (RFC 9110 §15.2.2).
        if status < 200, status != 101 {
            phase = .start
            return .interim
        }
        phase = .done
        return .final
    }

    private mutating func readField(_ line: UnsafeRawBufferPointer) -> Step {
        if line[0] == 0x20 || line[0] == 0x09 { return unfold(HeadReader.trimmed(line)) }
        let colon = Token.length(line)
        guard colon > 0, colon < line.count, line[colon] == 0x3A else {
            return malformed(
                line.contains(0x3A) ? "has a field whose name is not a token" : "has a line without a colon")
        }
        let range = HeadReader.trimmed(line, from: colon + 1)
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = UnsafeRawBufferPointer(rebasing: line[range])
        guard HeadReader.isValue(value) || HeadReader.isCookieToBeRefused(name, value) else {
            return malformed("has a field with a control character in its value")
        }
        if phase == .done {
            if trailers.count >= fieldLimit { return tooManyFields() }
            trailers.append(line: line, name: 0..<colon, value: range)
            return .trailer
        }
        if fields.count >= fieldLimit { return tooManyFields() }
        fields.append(line: line, name: 0..<colon, value: range)
        return note(name, value)
    }

    @inline(never)
    private mutating func tooManyFields() -> Step { malformed("has more than the \(fieldLimit) fields allowed") }

    @inline(never)
    fileprivate mutating func malformed(_ complaint: String) -> Step {
        self.complaint = complaint
        return .malformed
    }

    /// RFC 9112 §6.3: with different or invalid lengths, the end of the message is not known.
    private mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Step {
        if name.count == 14, KnownField(name) == .contentLength {
            if contentLength == nil, let length = HeadReader.number(value) {
                contentLength = length
                return .more
            }
            for part in value.split(separator: 0x2C, omittingEmptySubsequences: false) {
                let digits = HeadReader.trimmed(UnsafeRawBufferPointer(rebasing: part))
                guard let length = HeadReader.number(digits) else {
                    return malformed("has a Content-Length that is not a number")
                }
                if let contentLength, contentLength != length { return malformed("has two different lengths") }
                contentLength = length
            }
        } else if name.count == 17, KnownField(name) == .transferEncoding {
            // RFC 9112 §7.4: the request accepts no transfer coding except chunked.
            for part in value.split(separator: 0x2C) {
                let coding = HeadReader.trimmed(UnsafeRawBufferPointer(rebasing: part))
                let isChunked = KnownField.equals(coding, "chunked")
                guard isChunked || KnownField.equals(coding, "identity") else {
                    return malformed("has a transfer coding that the request does not accept")
                }
                self.isChunked = self.isChunked || isChunked
            }
            hasTransferEncoding = true
        }
        return .more
    }
}

extension HeadReader {
    /// RFC 9112 §5.2: a line break and the white space around it become one space.
    ///
    /// Fields that frame the message must not be folded, because libcurl reads their first line only.
    fileprivate mutating func unfold(_ rest: UnsafeRawBufferPointer) -> Step {
        foldCount += 1
        let isTrailer = phase == .done
        guard !(isTrailer ? trailers : fields).isEmpty else { return malformed("begins with a folded line") }
        guard foldCount <= HeadReader.foldLimit else { return malformed("has too many folded lines") }
        guard HeadReader.isValue(rest) else { return malformed("has a field with a control character in its value") }
        let frames = (isTrailer ? trailers : fields).withLastName { KnownField($0)?.framesMessage ?? false }
        if frames == true { return malformed("has a folded line in a field that frames it") }
        if isTrailer { trailers.extendLast(rest) } else { fields.extendLast(rest) }
        return .more
    }

    /// RFC 9110 §5.5: visible characters, spaces, tabs and bytes above ASCII.
    @inline(__always)
    private static func isValue(_ value: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        // Eight bytes at a time, because the values of all fields of all responses are checked. A tab ends it, too.
        while index &+ 8 <= value.count {
            let word = value.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let isDelete = word ^ 0x7F7F_7F7F_7F7F_7F7F
            let found =
                (word &- 0x2020_2020_2020_2020) & ~word | (isDelete &- 0x0101_0101_0101_0101) & ~isDelete
            if found & 0x8080_8080_8080_8080 != 0 { break }
            index &+= 8
        }
        while index < value.count {
            let byte = value[index]
            if byte < 0x20 && byte != 0x09 || byte == 0x7F { return false }
            index &+= 1
        }
        return true
    }

    /// RFC 6265bis §5.6 step 1: a control character in `Set-Cookie` makes the cookie invalid, not the response, except
    /// NUL, CR and LF (RFC 9110 §5.5).
    private static func isCookieToBeRefused(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        KnownField.equals(name, "set-cookie") && !value.contains { $0 == 0x00 || $0 == 0x0D || $0 == 0x0A }
    }

    private static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[trimmed(text, from: 0)])
    }

    @inline(__always)
    private static func trimmed(_ text: UnsafeRawBufferPointer, from first: Int) -> Range<Int> {
        var (start, end) = (first, text.count)
        while start < end, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
        while start < end, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }

    /// A number of decimal digits that fits in 63 bits; nil for any other text.
    static func number(_ digits: UnsafeRawBufferPointer) -> Int? {
        guard (1...18).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard digit &- 0x30 < 10 else { return nil }
            number = number * 10 + Int(digit &- 0x30)
        }
        return number
    }
}
