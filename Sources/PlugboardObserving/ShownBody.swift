import PlugboardKit

/// What may be shown of the bytes of a body that were captured.
public enum ShownBody {
    /// UTF-8 without NUL.
    case text(String)
    /// Other bytes.
    case bytes([UInt8])
    /// The secrets of the body cannot be found in it, because it is encoded or has parts.
    case hidden

    /// - Parameter fields: Those of the message, which say what the body is.
    public init(_ body: BodyCapture, _ fields: Fields, _ redaction: Redaction) {
        let type = MediaTypePattern.essence(of: fields[.contentType] ?? "")
        guard let bytes = redaction.body(body.bytes, type: type, coding: fields["Content-Encoding"]) else {
            self = .hidden
            return
        }
        self = ShownBody.text(bytes, isCut: body.isCut).map { .text($0) } ?? .bytes(bytes)
    }

    /// Whether a body may be shown as text, by its fields and because it has no NUL. Takes less time than to show it.
    public static func mayBeText(_ body: BodyCapture, _ fields: Fields) -> Bool {
        let type = MediaTypePattern.essence(of: fields[.contentType] ?? "")
        return Redaction.finds(type: type, coding: fields["Content-Encoding"]) && !body.bytes.contains(0)
    }

    /// Nil for bytes that are not UTF-8, or that have NUL. A character that a cut has split is left out.
    private static func text(_ bytes: [UInt8], isCut: Bool) -> String? {
        if bytes.contains(0) { return nil }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard isCut else { return nil }
        for count in 1...min(3, max(bytes.count, 1)) {
            if let text = String(validating: bytes.dropLast(count), as: UTF8.self) { return text }
        }
        return nil
    }
}

extension Duration {
    /// This time since 1970 as RFC 3339 writes it, with milliseconds: `2026-11-28T07:20:00.123Z`.
    public var timestamp: String {
        let (seconds, attoseconds) = max(self, .zero).components
        let milliseconds = "\(attoseconds / 1_000_000_000_000_000)"
        let zeros = String(repeating: "0", count: max(3 - milliseconds.utf8.count, 0))
        return HTTPDate(seconds: seconds).internetDescription.dropLast() + ".\(zeros)\(milliseconds)Z"
    }
}
