@_spi(Tape) import PlugboardJSON
import PlugboardSystem

/// Parses a text that arrives in pieces, and runs a program over it.
///
/// The bytes that are needed stand in a window: an unfinished value, and the arrays and objects that are kept. The
/// parser of whole texts reads the values in it, each when its end is there.
struct StreamedCheck {
    /// What may follow.
    enum Expected {
        case start, value, firstElement, firstKey, key, colon, separator, end
    }

    /// More bytes are taken in parts of this size, so that the window stays small.
    private static let partSize = 64 << 10
    /// The most bytes that are kept.
    private static let windowLimit = 1 << 30

    let program: Program
    let options: JSONDocument.Options
    let errors: ErrorOptions
    var parser: JSONTapeParser
    var evaluation: Evaluation
    private var capacity: Int
    /// The bytes that have left the window.
    private var dropped = 0
    var expected = Expected.start
    /// Up to here, the value at the cursor is known to be unfinished; 0 if nothing is known.
    var scanned = 0
    /// The beginning of a value is compared with its schemas again when so many bytes of it are there.
    var nextLook = 0
    var isFinal = false
    /// Whether the schemas of the value that follows are known: those from `pending` on.
    var isPrepared = false
    var pending = 0

    var frames: [StreamFrame] = []
    var applied: [AppliedSchema] = []
    var checks: [StreamCheck] = []
    var bits: [UInt64] = []
    var keySets: [Set<StreamKey>] = []
    /// The scalars of arrays that may have none twice, as tokens by hash.
    var scalars: [[UInt64: Int]] = []
    /// The keys that lead to the value, one after the other.
    var path: [UInt8] = []
    /// The outermost frame whose tokens are kept; -1 without one.
    var keptFrame = -1
    /// Where the arrays and objects begin whose ends are known not to be in the window, in order.
    var unfinished: [Int] = []
    /// Whether those that end in the window are read in one go. A wrong one is read once more in steps, which find the
    /// first byte that is wrong.
    var readsWhole = true
    /// How much work is left for schemas of `anyOf` and `oneOf` that are followed while an object is read.
    var branchWork = Evaluation.workLimit.document
    var failure: ValidationResult?
    /// The bytes may come from different threads.
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

    /// Returns why the document is not valid as soon as that is known.
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

    /// The same error with its place in the whole text.
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
