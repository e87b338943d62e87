import CPlugboardNettle

/// A digest of the first bytes of a file that have been added so far.
struct RunningDigest: Sendable {
    let algorithm: ExpectedDigest.Algorithm
    /// The number of bytes that were added.
    private(set) var count = 0
    private var function: Function

    private enum Function {
        case sha256(sha256_ctx)
        case sha512(sha512_ctx)
    }

    /// A multiple of the block lengths of both functions.
    static let block = 128

    init(_ algorithm: ExpectedDigest.Algorithm) {
        self.algorithm = algorithm
        switch algorithm {
        case .sha256:
            var context = sha256_ctx()
            nettle_sha256_init(&context)
            function = .sha256(context)
        case .sha512:
            var context = sha512_ctx()
            nettle_sha512_init(&context)
            function = .sha512(context)
        }
    }

    /// Continues from a state.
    init(_ saved: State) {
        self.init(saved.algorithm)
        count = saved.count
        switch function {
        case .sha256(var context):
            // The words were validated when the state was made.
            let words = saved.words.map { UInt32(truncatingIfNeeded: $0) }
            withUnsafeMutableBytes(of: &context.state) { state in words.withUnsafeBytes { state.copyMemory(from: $0) } }
            context.count = UInt64(count / 64)
            function = .sha256(context)
        case .sha512(var context):
            withUnsafeMutableBytes(of: &context.state) { state in
                saved.words.withUnsafeBytes { state.copyMemory(from: $0) }
            }
            context.count_low = UInt64(count / 128)
            function = .sha512(context)
        }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        let first = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        switch function {
        case .sha256(var context):
            nettle_sha256_update(&context, bytes.count, first)
            function = .sha256(context)
        case .sha512(var context):
            nettle_sha512_update(&context, bytes.count, first)
            function = .sha512(context)
        }
    }

    /// The digest of the bytes so far, in lower case.
    var hexadecimal: String {
        var digest = [UInt8](repeating: 0, count: algorithm.byteCount)
        switch function {
        case .sha256(var context): nettle_sha256_digest(&context, digest.count, &digest)
        case .sha512(var context): nettle_sha512_digest(&context, digest.count, &digest)
        }
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The state; nil if the count is not a multiple of `block`.
    var state: State? {
        switch function {
        case .sha256(let context):
            let words = withUnsafeBytes(of: context.state) { Array($0.assumingMemoryBound(to: UInt32.self)) }
            return State(algorithm, count: count, words: words.map { UInt64($0) })
        case .sha512(let context):
            let words = withUnsafeBytes(of: context.state) { Array($0.assumingMemoryBound(to: UInt64.self)) }
            return State(algorithm, count: count, words: words)
        }
    }

    /// The state that a journal keeps, so that the bytes need not be read again.
    struct State: Sendable, Equatable {
        let algorithm: ExpectedDigest.Algorithm
        /// The number of digested bytes: a multiple of `block`.
        let count: Int
        let words: [UInt64]

        init?(_ algorithm: ExpectedDigest.Algorithm, count: Int, words: [UInt64]) {
            let limit: UInt64 = algorithm == .sha256 ? 0xFFFF_FFFF : .max
            guard count > 0, count.isMultiple(of: RunningDigest.block), words.count == 8,
                words.allSatisfy({ $0 <= limit })
            else { return nil }
            self.algorithm = algorithm
            self.count = count
            self.words = words
        }
    }
}
