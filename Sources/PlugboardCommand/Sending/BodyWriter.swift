import PlugboardJSON
import PlugboardKit

/// Writes a body: unchanged, or for people at a terminal.
///
/// On a terminal, JSON gets a readable layout, and control characters of text are escaped. A body that is not text is
/// refused, as curl does.
struct BodyWriter {
    /// Larger JSON is written without a new layout.
    private static let layoutLimit = 4 << 20

    private let output: ByteOutput
    private let isForReaders: Bool
    private let isJSON: Bool

    init(_ output: ByteOutput, isForReaders: Bool, isJSON: Bool = false) {
        self.output = output
        self.isForReaders = isForReaders
        self.isJSON = isJSON
    }

    func write(_ body: Body) async throws {
        if !isForReaders {
            for try await piece in body { try output.write(piece) }
        } else if isJSON {
            try await writeLaidOut(body)
        } else {
            var writer = TextWriter(output)
            for try await piece in body { try writer.write(piece) }
            try writer.finish()
        }
    }

    /// Writes a whole body that is not JSON.
    func write(_ bytes: Bytes) throws(CommandFailure) {
        guard isForReaders else { return try output.write(bytes) }
        var writer = TextWriter(output)
        try writer.write(bytes)
        try writer.finish()
    }

    private func writeLaidOut(_ body: Body) async throws {
        var pieces: [Bytes] = []
        var count = 0
        var writer: TextWriter?
        for try await piece in body {
            count += piece.count
            if count <= BodyWriter.layoutLimit {
                pieces.append(piece)
                continue
            }
            if writer == nil { writer = try text(of: pieces) }
            try writer?.write(piece)
        }
        let bytes = Bytes.joined(pieces)
        if writer == nil, let value = JSONText.value(of: bytes) {
            return try output.write(value)
        }
        if writer == nil { writer = try text(of: pieces) }
        try writer?.finish()
    }

    /// A writer that has written these pieces.
    private func text(of pieces: [Bytes]) throws(CommandFailure) -> TextWriter {
        var writer = TextWriter(output)
        for piece in pieces { try writer.write(piece) }
        return writer
    }
}

/// Writes the pieces of a text to a terminal.
private struct TextWriter {
    private let output: ByteOutput
    private var visible = VisibleText()
    private var isFirst = true

    init(_ output: ByteOutput) { self.output = output }

    mutating func write(_ piece: Bytes) throws(CommandFailure) {
        if isFirst, piece.withUnsafeBytes({ $0.contains(0) }) {
            throw CommandFailure(
                .write,
                "The body is not text, and could change the settings of the terminal. Use -o FILE to save it, or -o - to "
                    + "write it to the terminal anyway.")
        }
        isFirst = false
        try output.write(Bytes(visible.add(piece)))
    }

    mutating func finish() throws(CommandFailure) { try output.write(Bytes(visible.finish())) }
}
