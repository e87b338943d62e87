/// Undoes one content coding of one body, step by step. Used by one thread at a time.
protocol ContentDecoder: AnyObject {
    /// Decodes from `input` into `output` until one of them is exhausted. It is called again with the unused input and
    /// new room, and with empty input if it had filled the output.
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentCodingError) -> DecodingStep

    /// Whether the coded data may end here.
    var isComplete: Bool { get }
}

/// How far one step got.
struct DecodingStep: Equatable {
    /// The number of input bytes used.
    var consumed = 0
    /// The number of output bytes written.
    var produced = 0
}

/// Why coded data cannot be decoded; the reason completes a sentence.
struct ContentCodingError: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    static let trailing = ContentCodingError("bytes follow its end")
}
