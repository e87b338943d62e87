import PlugboardKit

/// When to ask for a content coding, and what to undo of an answer.
enum DecodePolicy {
    /// More codings than this on one body are nobody's honest wish.
    static let codingLimit = 5

    /// The caller's own `Accept-Encoding` stands. A range is one of the coded bytes and cannot be decoded by itself
    /// (RFC 9110 §14.2), and an answer to HEAD shall describe the body as it will be read.
    static func asks(method: PlugboardKit.Method, hasAcceptEncoding: Bool, hasRange: Bool) -> Bool {
        !hasAcceptEncoding && !hasRange && method != .head
    }

    /// The codings to undo, the last applied first; nil if the body is to pass as it is: it has none, is partial, or its
    /// codings are unknown or too many.
    static func codings(
        status: Int, method: PlugboardKit.Method, contentEncoding: [String]
    ) -> [ContentCoding]? {
        guard method != .head, status >= 200, ![204, 206, 304].contains(status) else { return nil }
        let names = contentEncoding.flatMap { $0.split(separator: ",") }.map(trimmed).filter { !$0.isEmpty }
        guard names.count <= codingLimit else { return nil }
        var codings: [ContentCoding] = []
        for name in names where name.lowercased() != "identity" {
            guard let coding = ContentCoding(name) else { return nil }
            codings.append(coding)
        }
        return codings.isEmpty ? nil : codings.reversed()
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let start = text.drop(while: isBlank)
        return start[..<(start.lastIndex { !isBlank($0) }.map { start.index(after: $0) } ?? start.startIndex)]
    }
}

/// A content coding that can be undone (RFC 9110 §8.4.1, RFC 7932, RFC 8878).
enum ContentCoding: String, Sendable, CaseIterable {
    case gzip, deflate, br, zstd

    /// In any case; `x-gzip` is gzip.
    init?(_ name: some StringProtocol) {
        let name = name.lowercased()
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }

    /// A decoder for one body; nil when there is no memory for it.
    func makeDecoder() -> (any ContentDecoder)? {
        switch self {
        case .gzip: GzipDecoder()
        case .deflate: DeflateDecoder()
        case .br: BrotliDecoder()
        case .zstd: ZstdDecoder()
        }
    }
}
