/// Undoes one content coding of one body, step by step. Used by one thread at a time.
protocol ContentDecoder: AnyObject {
    /// Decodes from `input` into `output` as far as either goes. Called again with what it left of the input and with new
    /// room, and with empty input when it had filled the output.
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> DecodingStep

    /// Whether the coded data may end here.
    var isComplete: Bool { get }
}

/// How far one step came.
struct DecodingStep: Equatable {
    /// Bytes of the input that were used.
    var consumed = 0
    /// Bytes of the output that were written.
    var produced = 0
}

/// Why coded data cannot be decoded, as the end of a sentence.
struct ContentCodingError: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    static let trailing = ContentCodingError("bytes follow its end")
}
