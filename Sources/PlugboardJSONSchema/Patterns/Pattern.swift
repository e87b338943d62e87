import CPlugboardPCRE2
@_spi(Tape) import PlugboardJSON

/// The reason why a regular expression cannot be used.
struct PatternError: Error {
    /// A sentence without a full stop.
    let reason: String
}

/// A regular expression of ECMA-262 (with the flag u), compiled by libpcre2.
final class Pattern: @unchecked Sendable {  // Nothing changes after the initializer; libpcre2 only reads the code.
    let code: PatternCode
    /// Nil for patterns that are plain text only.
    private let counted: CountedPattern?

    static let options = UInt32(
        PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C)

    init(_ text: String) throws(PatternError) {
        let translation = try PatternTranslator.translate(text)
        if let prefix = translation.prefix {
            let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: prefix.count + JSONTapeParser.padding)
            bytes.initialize(repeating: 0, count: prefix.count + JSONTapeParser.padding)
            for (position, byte) in prefix.enumerated() { bytes[position] = byte }
            code = PatternCode(
                code: nil, hasJIT: false, plainLimit: 0, counted: nil, prefix: bytes, prefixCount: prefix.count,
                isWhole: translation.isWhole)
            counted = nil
            return
        }
        var number: Int32 = 0
        var offset = 0
        let bytes = Array(translation.text.utf8)
        let compiled = bytes.withUnsafeBufferPointer {
            pcre2_compile_8($0.baseAddress, $0.count, Pattern.options, &number, &offset, Pattern.compileContext)
        }
        guard let compiled else { throw PatternError(reason: Pattern.message(number)) }
        let hasJIT = pcre2_jit_compile_8(compiled, PCRE2_JIT_COMPLETE) == 0
        let counted = CountedPattern(bytes)
        self.counted = counted
        code = PatternCode(
            code: compiled, hasJIT: hasJIT, plainLimit: PatternCode.plainLimit(compiled),
            counted: .passUnretained(counted), prefix: nil, prefixCount: 0, isWhole: false)
    }

    /// Whether a text is a regular expression of ECMA-262. libpcre2 cannot match all of these: its look-behinds must
    /// have a bounded width.
    static func isValid(_ text: String) -> Bool {
        guard let translation = try? PatternTranslator.translate(text) else { return false }
        if translation.prefix != nil { return true }
        var number: Int32 = 0
        var offset = 0
        let compiled = Array(translation.text.utf8).withUnsafeBufferPointer {
            pcre2_compile_8($0.baseAddress, $0.count, options, &number, &offset, compileContext)
        }
        guard let compiled else { return number == Int32(PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH) }
        pcre2_code_free_8(compiled)
        return true
    }

    deinit {
        if let compiled = code.code { pcre2_code_free_8(compiled) }
        code.prefix?.deallocate()
    }

    nonisolated(unsafe) static let compileContext: OpaquePointer? = {  // Read only after this closure.
        let context = pcre2_compile_context_create_8(nil)
        pcre2_set_max_pattern_length_8(context, 1 << 16)
        pcre2_set_parens_nest_limit_8(context, 200)
        return context
    }()

    private static func message(_ number: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 160)
        let count = pcre2_get_error_message_8(number, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(Int(count)), as: UTF8.self) : "it is invalid"
    }
}

/// The data of a pattern that a match needs.
struct PatternCode {
    enum Result { case match, noMatch, limit }

    let code: OpaquePointer?
    let hasJIT: Bool
    /// Longer texts are matched by `counted`.
    let plainLimit: Int
    /// Owned by the pattern.
    let counted: Unmanaged<CountedPattern>?
    /// The text of a pattern that is `^` and plain text, which is compared without libpcre2.
    let prefix: UnsafeMutablePointer<UInt8>?
    let prefixCount: Int
    /// Whether the plain text must be the whole value.
    let isWhole: Bool

    /// The most backtracking steps from one position of a text; a match that needs more is counted.
    private static let matchLimit: UInt32 = 5_000
    /// The heap limit in KiB.
    private static let heapLimit: UInt32 = 1 << 10

    /// The limits of a match.
    private let context = PatternCode.limits

    private nonisolated(unsafe) static let limits: OpaquePointer? = {  // Read only after this closure.
        let context = pcre2_match_context_create_8(nil)
        pcre2_set_match_limit_8(context, matchLimit)
        pcre2_set_heap_limit_8(context, heapLimit)
        return context
    }()

    /// The longest text, in bytes, that is matched without counting: longer if the pattern can only match at the begin.
    fileprivate static func plainLimit(_ code: OpaquePointer) -> Int {
        var options: UInt32 = 0
        let isAnchored =
            pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_ALLOPTIONS), &options) == 0
            && options & UInt32(PCRE2_ANCHORED) != 0
        return isAnchored ? 4096 : 256
    }

    /// Searches in a text, which must be valid UTF-8. Eight bytes after the text must be readable.
    func match(
        _ text: UnsafePointer<UInt8>, _ count: Int, _ scratch: Scratch, _ time: inout PatternTime
    ) -> Result {
        if let prefix {
            guard isWhole ? count == prefixCount : count >= prefixCount else { return .noMatch }
            return Evaluation.isSame(prefix, text, prefixCount) ? .match : .noMatch
        }
        if count <= plainLimit {
            let isTimed = time.begin()
            let result =
                hasJIT
                ? pcre2_jit_match_8(code, text, count, 0, 0, scratch.matchData, context)
                : pcre2_match_8(
                    code, text, count, 0, UInt32(PCRE2_NO_UTF_CHECK), scratch.matchData, context)
            if isTimed, time.end() { return .limit }
            if result >= 0 { return .match }
            if result == PCRE2_ERROR_NOMATCH { return .noMatch }
        }
        return counted?._withUnsafeGuaranteedRef { $0.match(text, count, scratch, &time) } ?? .limit
    }
}
