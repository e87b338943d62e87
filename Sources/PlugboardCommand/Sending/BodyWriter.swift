import PlugboardKit

/// Writes a body: unchanged, or for people at a terminal.
///
/// JSON is written in a layout, if one is given. On a terminal, control characters of text are escaped, and a body
/// that is not text is refused, as curl does.
struct BodyWriter {
    /// Larger JSON is written without a new layout.
    private static let layoutLimit = 4 << 20

    private let output: ByteOutput
    private let isForReaders: Bool
    /// The layout of a body in JSON; nil for other bodies.
    private let layout: JSONLayout?

    init(_ output: ByteOutput, isForReaders: Bool, layout: JSONLayout? = nil) {
        self.output = output
        self.isForReaders = isForReaders
        self.layout = layout
    }

    static let tooLarge = CommandFailure(.size, "The body is larger than --max-filesize allows.")

    /// - Parameter limit: How many bytes the body may have.
    func write(_ body: Body, limit: Int? = nil) async throws {
        var writer = PieceWriter(output, isForReaders)
        // Nil when the body is too large for a layout.
        var pieces: [Bytes]? = layout == nil ? nil : []
        var count = 0
        for try await piece in body {
            count += piece.count
            if let limit, count > limit { throw BodyWriter.tooLarge }
            if let held = pieces, count > BodyWriter.layoutLimit {
                for piece in held { try writer.write(piece) }
                pieces = nil
            }
            if pieces == nil { try writer.write(piece) } else { pieces?.append(piece) }
        }
        if let pieces { return try write(Bytes.joined(pieces)) }
        try writer.finish()
    }

    /// Writes a whole body.
    func write(_ bytes: Bytes) throws(CommandFailure) {
        if let text = layout?.text(of: bytes, escapes: isForReaders) { return try output.write(text, laidOut: layout) }
        var writer = PieceWriter(output, isForReaders)
        try writer.write(bytes)
        try writer.finish()
    }

}

extension ByteOutput {
    /// Writes JSON with a layout, and a line end where each member has a line.
    fileprivate func write(_ text: String, laidOut layout: JSONLayout?) throws(CommandFailure) {
        try write(Bytes(layout?.indents ?? false ? text + "\n" : text))
    }
}

/// Writes the pieces of a body: unchanged, or as text to a terminal.
private struct PieceWriter {
    private let output: ByteOutput
    private let isForReaders: Bool
    private var visible = VisibleText()
    private var isFirst = true

    init(_ output: ByteOutput, _ isForReaders: Bool) { (self.output, self.isForReaders) = (output, isForReaders) }

    mutating func write(_ piece: Bytes) throws(CommandFailure) {
        guard isForReaders else { return try output.write(piece) }
        if isFirst, piece.withUnsafeBytes({ $0.contains(0) }) {
            throw CommandFailure(
                .write,
                "The body is not text, and could change the settings of the terminal. Use -o FILE to save it, or -o - to "
                    + "write it to the terminal anyway.")
        }
        isFirst = false
        try output.write(Bytes(visible.add(piece)))
    }

    mutating func finish() throws(CommandFailure) {
        if isForReaders { try output.write(Bytes(visible.finish())) }
    }
}
