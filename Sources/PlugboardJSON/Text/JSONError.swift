/// The error for a text that is not valid JSON, with its position.
public struct JSONError: Error, Sendable, Hashable {
    /// One sentence without a full stop. It quotes at most one character or a short key of the document, because values
    /// may be secret.
    public let reason: String
    /// The position of the error in the text.
    public let position: JSONPosition

    package init(_ failure: JSONFailure, in bytes: UnsafeRawBufferPointer) {
        reason = failure.reason + (failure.found.map { ", not \($0)" } ?? "")
        position = JSONPosition(offset: failure.offset, in: bytes)
    }

    /// The line, from 1.
    public var line: Int { position.line }
    /// The column, from 1, in Unicode scalars (not bytes).
    public var column: Int { position.column }
    /// The offset in bytes from the beginning, including a byte order mark.
    public var offset: Int { position.offset }
}

extension JSONError: CustomStringConvertible {
    /// `line 2, column 5: REASON`.
    public var description: String { "\(position): \(reason)" }
}

/// A position in a JSON text.
public struct JSONPosition: Sendable, Hashable {
    /// The line, from 1. LF, CR and CR LF end a line.
    public let line: Int
    /// The column, from 1, in Unicode scalars (not bytes), without a byte order mark.
    public let column: Int
    /// The offset in bytes from the beginning, including a byte order mark.
    public let offset: Int

    init(offset: Int, in bytes: UnsafeRawBufferPointer) {
        let carriageReturn = UInt8(ascii: "\r")
        let lineFeed = UInt8(ascii: "\n")
        let start = bytes.byteOrderMarkCount
        let end = max(start, min(offset, bytes.count))
        var line = 1
        var column = 1
        for position in start..<end {
            let byte = bytes[position]
            let isPair = byte == carriageReturn && position + 1 < bytes.count && bytes[position + 1] == lineFeed
            if byte == lineFeed || (byte == carriageReturn && !isPair) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                // Continuation bytes belong to the scalar that precedes them.
                column += 1
            }
        }
        self.line = line
        self.column = column
        self.offset = offset
    }
}

extension JSONPosition: CustomStringConvertible {
    /// `line 2, column 5`.
    public var description: String { "line \(line), column \(column)" }
}

extension UnsafeRawBufferPointer {
    /// 3 if the text begins with U+FEFF, which RFC 8259 §8.1 lets a parser ignore; otherwise 0.
    var byteOrderMarkCount: Int { starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }
}
