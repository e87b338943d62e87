import PlugboardKit

/// Decides when to request content codings, and which ones of a response to decode.
enum DecodePolicy {
    /// The most codings of one body: more are a mistake or an attack.
    static let codingLimit = 5

    /// False if the caller has set `Accept-Encoding`; for a range, because a part of the coded bytes cannot be decoded
    /// alone (RFC 9110 §14.2); and for HEAD, so that the response describes the body as it will be read.
    static func asks(method: PlugboardKit.Method, hasAcceptEncoding: Bool, hasRange: Bool) -> Bool {
        !hasAcceptEncoding && !hasRange && method != .head
    }

    /// The codings to decode, the last applied first; nil if the body must stay unchanged: it has no coding, is
    /// partial, or has unknown codings. Throws `body.decode` for too many.
    static func codings(
        status: Int, method: PlugboardKit.Method, contentEncoding: [String]
    ) throws(PlugboardError) -> [ContentCoding]? {
        guard method != .head, status >= 200, ![204, 206, 304].contains(status) else { return nil }
        var codings: [ContentCoding] = []
        for name in contentEncoding.flatMap({ $0.split(separator: ",") }).map(trimmed)
        where !name.isEmpty && name.lowercased() != "identity" {
            guard let coding = ContentCoding(name) else { return nil }
            codings.append(coding)
        }
        guard codings.count <= codingLimit else {
            throw PlugboardError(
                .bodyDecode,
                "The response names \(codings.count) content codings, and at most \(codingLimit) are decoded. Set "
                    + "Accept-Encoding on the request to get the body as it is.")
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

    /// Accepts any case, and `x-gzip` for gzip.
    init?(_ name: some StringProtocol) {
        let name = name.lowercased()
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }

    /// A decoder for one body; nil if memory is exhausted.
    func makeDecoder() -> (any ContentDecoder)? {
        switch self {
        case .gzip: GzipDecoder()
        case .deflate: DeflateDecoder()
        case .br: BrotliDecoder()
        case .zstd: ZstdDecoder()
        }
    }
}
