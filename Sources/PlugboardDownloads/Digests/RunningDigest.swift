import PlugboardMessages

/// A digest of a file's first bytes, as many as have been added.
struct RunningDigest: Sendable {
    let algorithm: ExpectedDigest.Algorithm
    /// How many bytes were added.
    private(set) var count = 0
    private var function: Function

    private enum Function {
        case sha256(SHA256)
        case sha512(SHA512)

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            // Taken out of `self`, so that its arrays are not copied.
            switch consume self {
            case .sha256(var digest):
                digest.update(bytes)
                self = .sha256(digest)
            case .sha512(var digest):
                digest.update(bytes)
                self = .sha512(digest)
            }
        }
    }

    /// The blocks of both functions end at its multiples.
    static let block = 128

    init(_ algorithm: ExpectedDigest.Algorithm) {
        self.algorithm = algorithm
        function = algorithm == .sha256 ? .sha256(SHA256()) : .sha512(SHA512())
    }

    /// Goes on from a state.
    init(_ saved: State) {
        algorithm = saved.algorithm
        count = saved.count
        let words = saved.words
        // The state was checked when it was made.
        switch algorithm {
        case .sha256:
            function = .sha256(SHA256(midstate: words.map { UInt32(truncatingIfNeeded: $0) }, count: count) ?? SHA256())
        case .sha512: function = .sha512(SHA512(midstate: words, count: count) ?? SHA512())
        }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        function.update(bytes)
    }

    var hexadecimal: String {
        switch function {
        case .sha256(let digest): digest.hexadecimal
        case .sha512(let digest): digest.hexadecimal
        }
    }

    /// Nil between two blocks' ends.
    var state: State? {
        switch function {
        case .sha256(let digest): State(algorithm, count: count, words: digest.midstate.map { UInt64($0) })
        case .sha512(let digest): State(algorithm, count: count, words: digest.midstate)
        }
    }

    /// What a journal keeps, so that the bytes need not be read once more.
    struct State: Sendable, Equatable {
        let algorithm: ExpectedDigest.Algorithm
        /// How many bytes it is about: a multiple of `block`.
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
