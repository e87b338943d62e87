import CPlugboardPCRE2
import Synchronization

/// A regular expression with a callout before each of its parts, which counts the steps of the whole match.
///
/// The limits of libpcre2 apply separately to each start position of a match, and do not include every step. Counting
/// is slow, so it is used only for long texts, and for short ones that need many steps. Compiled at the first use.
final class CountedPattern: Sendable {
    /// The most parts that a match may try: a constant, and more for each byte of the text.
    private static let stepLimit = (match: 4_000_000, byte: 64)
    /// The clock is read once in this many steps.
    private static let interval = 64
    /// The most memory of a match, in bytes.
    private static let memoryLimit = 64 << 20

    private enum State {
        case unknown, failed
        /// The address of the compiled code.
        case compiled(UInt, hasJIT: Bool)
    }

    /// The expression in the syntax of libpcre2.
    private let text: [UInt8]
    private let state = Mutex(State.unknown)

    init(_ text: [UInt8]) { self.text = text }

    deinit {
        if case .compiled(let address, _) = state.withLock({ $0 }) {
            pcre2_code_free_8(OpaquePointer(bitPattern: address))
        }
    }

    /// The remaining steps of one match.
    struct Budget {
        var steps = 0
        /// The end in time of the thread.
        var end: UInt64 = 0
    }

    private func compiled() -> (code: OpaquePointer, hasJIT: Bool)? {
        let found = state.withLock { state in
            if case .unknown = state { state = compile() }
            return state
        }
        guard case .compiled(let address, let hasJIT) = found, let code = OpaquePointer(bitPattern: address) else {
            return nil
        }
        return (code, hasJIT)
    }

    private func compile() -> State {
        var number: Int32 = 0
        var offset = 0
        let code = text.withUnsafeBufferPointer {
            pcre2_compile_8(
                $0.baseAddress, $0.count, Pattern.options | UInt32(PCRE2_AUTO_CALLOUT), &number, &offset,
                Pattern.compileContext)
        }
        guard let code else { return .failed }
        return .compiled(UInt(bitPattern: code), hasJIT: pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE) == 0)
    }

    /// Searches in a text, which must be valid UTF-8.
    func match(
        _ text: UnsafePointer<UInt8>, _ count: Int, _ scratch: Scratch, _ time: inout PatternTime
    ) -> PatternCode.Result {
        guard let (code, hasJIT) = compiled(), let context = scratch.countedContext() else { return .limit }
        scratch.budget.pointee.steps = CountedPattern.stepLimit.match + CountedPattern.stepLimit.byte * count
        scratch.budget.pointee.end = time.beginCounted()
        defer { time.endCounted() }
        var result: Int32
        if hasJIT {
            result = pcre2_jit_match_8(code, text, count, 0, 0, scratch.matchData, context)
            if result == PCRE2_ERROR_JIT_STACKLIMIT {
                guard let stack = pcre2_jit_stack_create_8(64 << 10, CountedPattern.memoryLimit, nil) else {
                    return .limit
                }
                pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(stack))
                result = pcre2_jit_match_8(code, text, count, 0, 0, scratch.matchData, context)
                pcre2_jit_stack_assign_8(context, nil, nil)
                pcre2_jit_stack_free_8(stack)
            }
        } else {
            result = pcre2_match_8(code, text, count, 0, UInt32(PCRE2_NO_UTF_CHECK), scratch.matchData, context)
        }
        if result >= 0 { return .match }
        return result == PCRE2_ERROR_NOMATCH ? .noMatch : .limit
    }

    /// A context whose callouts count the steps of a budget.
    static func context(_ budget: UnsafeMutablePointer<Budget>) -> OpaquePointer? {
        let context = pcre2_match_context_create_8(nil)
        pcre2_set_match_limit_8(context, .max)
        pcre2_set_depth_limit_8(context, .max)
        pcre2_set_heap_limit_8(context, UInt32(memoryLimit >> 10))
        pcre2_set_callout_8(
            context,
            { _, data in
                guard let budget = data?.assumingMemoryBound(to: Budget.self) else { return PCRE2_ERROR_CALLOUT }
                let left = budget.pointee.steps &- 1
                budget.pointee.steps = left
                guard left & (CountedPattern.interval &- 1) == 0 else { return 0 }
                return left > 0 && PatternTime.now < budget.pointee.end ? 0 : PCRE2_ERROR_CALLOUT
            }, budget)
        return context
    }
}
