@_spi(Tape) import PlugboardJSON
import PlugboardSystem

/// Parses a text that arrives in pieces, and runs a program over it.
///
/// A window has the bytes that are still needed: an unfinished value, and the arrays and objects that are kept. The
/// parser of whole texts reads each value in it when its end has arrived.
struct StreamedCheck {
    /// The tokens that are allowed next.
    enum Expected {
        case start, value, firstElement, firstKey, key, colon, separator, end
    }

    /// A larger piece is processed in parts of this size, so that the window stays small.
    private static let partSize = 64 << 10
    /// The most bytes that are kept.
    private static let windowLimit = 1 << 30

    let program: Program
    let options: JSONDocument.Options
    let errors: ErrorOptions
    var parser: JSONTapeParser
    var evaluation: Evaluation
    private var capacity: Int
    /// The number of bytes that have left the window.
    private var dropped = 0
    var expected = Expected.start
    /// The offset up to which the value at the cursor is known to be unfinished; 0 if unknown.
    var scanned = 0
    /// The number of bytes at which the beginning of a value is checked again.
    var nextLook = 0
    var isFinal = false
    /// Whether the schemas of the next value are known: those from `pending` on.
    var isPrepared = false
    var pending = 0

    var frames: [StreamFrame] = []
    var applied: [AppliedSchema] = []
    var checks: [StreamCheck] = []
    var bits: [UInt64] = []
    var keySets: [Set<StreamKey>] = []
    /// The scalars of arrays with unique elements, as tokens by hash.
    var scalars: [[UInt64: Int]] = []
    /// The keys on the path to the value, one after the other.
    var path: [UInt8] = []
    /// The outermost frame whose tokens are kept; -1 if there is none.
    var keptFrame = -1
    /// The offsets of the arrays and objects that are known not to end in the window, in order.
    var unfinished: [Int] = []
    /// Whether values that end in the window are read in one step. A value with an error is read again in small steps,
    /// which find the first wrong byte.
    var readsWhole = true
    /// The remaining work for schemas of `anyOf` and `oneOf` that are checked while an object is read.
    var branchWork = Evaluation.workLimit.document
    var failure: ValidationResult?
    /// The lowest address of the stack. Set for each piece, because pieces may come from different threads.
    var lowestStack: UInt = 0

    init(_ program: Program, _ scratch: Scratch, _ options: JSONDocument.Options, _ errors: ErrorOptions) {
        self.program = program
        self.options = options
        self.errors = errors
        capacity = 0
        parser = JSONTapeParser(options: options.parser)
        evaluation = Evaluation(program, parser.tokens, parser.bytes, tokenCount: 0, scratch)
    }

    func release() {
        parser.release()
        free(parser.bytes)
    }

    var keptByteCount: Int { keptFrame < 0 ? parser.size - parser.cursor : parser.size }

    // MARK: Bytes

    /// Reads a piece. Returns the result as soon as the document is known to be not valid.
    mutating func update(_ piece: UnsafeRawBufferPointer) throws(JSONDocumentError) -> ValidationResult? {
        lowestStack = StackBound.current
        var rest = piece[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(StreamedCheck.partSize))
            rest = rest.dropFirst(part.count)
            try append(part)
            try advance()
            if let failure { return failure }
        }
        return nil
    }

    mutating func finish() throws(JSONDocumentError) -> ValidationResult? {
        isFinal = true
        lowestStack = StackBound.current
        try advance()
        if let failure { return failure }
        guard expected == .end else { throw located(parser.unexpected(expected.description)) }
        return nil
    }

    private mutating func append(_ part: UnsafeRawBufferPointer) throws(JSONDocumentError) {
        guard part.count <= options.sizeLimit - dropped - parser.size else {
            let limit = options.sizeLimit
            throw located(
                parser.failure(
                    "the text is larger than the limit of \(limit) bytes", at: limit - dropped, isLimit: true))
        }
        if keptFrame < 0, parser.cursor > 0 { dropRead() }
        unfinished.removeAll(keepingCapacity: true)
        guard parser.size + part.count <= StreamedCheck.windowLimit else {
            throw located(
                parser.failure("more than \(StreamedCheck.windowLimit) bytes of it have to be kept", isLimit: true))
        }
        let needed = parser.size + part.count + JSONTapeParser.padding
        if needed > capacity {
            let larger = max(needed, capacity * 2, 512)
            guard let memory = realloc(parser.bytes, larger) else { throw located(parser.outOfMemory()) }
            parser.bytes = memory.assumingMemoryBound(to: UInt8.self)
            capacity = larger
        }
        if let base = part.baseAddress {
            UnsafeMutableRawPointer(parser.bytes + parser.size).copyMemory(from: base, byteCount: part.count)
        }
        parser.size += part.count
        // The zeros after the text end every scan.
        (parser.bytes + parser.size).update(repeating: 0, count: JSONTapeParser.padding)
    }

    /// Moves the unread bytes to the beginning of the window.
    private mutating func dropRead() {
        let count = parser.cursor
        memmove(parser.bytes, parser.bytes + count, parser.size - count)
        parser.size -= count
        parser.cursor = 0
        if scanned > 0 { scanned -= count }
        dropped += count
    }

    /// The error with its offset in the whole text.
    private func located(_ failure: JSONFailure) -> JSONDocumentError { JSONDocumentError(failure, from: dropped) }

    private mutating func advance() throws(JSONDocumentError) {
        do throws(JSONFailure) {
            while failure == nil, try step() {}
        } catch {
            throw located(error)
        }
    }
}

extension StreamedCheck.Expected {
    var description: String {
        switch self {
        case .start, .value: "a value"
        case .firstElement: "a value or \"]\""
        case .firstKey, .key: "a key in double quotes"
        case .colon: "\":\""
        case .separator: "\",\" or the end of the array or object"
        case .end: "the end of the text"
        }
    }
}
