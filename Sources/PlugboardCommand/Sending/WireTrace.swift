import PlugboardKit
import Synchronization

/// The file of `--trace` or `--trace-ascii`, in curl's form: a title for each head, piece of a body and note, and then
/// rows of bytes that begin with their offset.
final class WireTrace: Sendable {
    /// Nil is standard error.
    private let output: ByteOutput?
    /// Whether rows are lines of text; else they are 16 bytes in hexadecimal digits and as text.
    private let isText: Bool

    /// Nil without these options. `-` is standard output, and `%` standard error.
    init?(_ group: CurlGroup) throws(CommandFailure) {
        let ascii = group.values["trace-ascii"]
        guard let path = ascii ?? group.values["trace"] else { return nil }
        isText = ascii != nil
        output = path == "%" ? nil : path == "-" ? .standard : try ByteOutput(path: path)
    }

    /// Writes a text. Called from any thread. Best effort: a full disk must not fail the request.
    func write(_ text: String) {
        guard let output else { return StandardError.write(text) }
        try? output.write(text)
    }

    func write(_ title: String, _ text: String) { Bytes(text).withUnsafeBytes { write(title, $0) } }

    func write(_ title: String, _ bytes: UnsafeRawBufferPointer) {
        var text = "\(title), \(bytes.count) bytes (0x\(String(bytes.count, radix: 16)))\n"
        var start = 0
        while start < bytes.count {
            let (end, next) = row(of: bytes, from: start)
            let offset = String(start, radix: 16)
            text += String(repeating: "0", count: max(4 - offset.count, 0)) + offset + ": "
            if !isText {
                text += bytes[start..<end].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) + " " }.joined()
                text += String(repeating: "   ", count: WireTrace.width - (end - start))
            }
            let visible = bytes[start..<end].map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: ".") }
            text += String(decoding: visible, as: UTF8.self) + "\n"
            start = next
        }
        write(text)
    }

    /// How many bytes are in a row, of digits and of text.
    private static let (width, textWidth) = (16, 64)

    /// Where the row ends, and where the next one begins: text has a row for each of its lines.
    private func row(of bytes: UnsafeRawBufferPointer, from start: Int) -> (end: Int, next: Int) {
        let end = min(start + (isText ? WireTrace.textWidth : WireTrace.width), bytes.count)
        guard isText else { return (end, end) }
        let lineEnd = (start...end).first { $0 + 1 < bytes.count && bytes[$0] == 0x0D && bytes[$0 + 1] == 0x0A }
        return lineEnd.map { ($0, $0 + 2) } ?? (end, end)
    }
}
