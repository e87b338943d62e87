import PlugboardFieldValues
import PlugboardMessages

/// A validator that changes with each change of a representation (RFC 9110 §8.8.1). Only bytes that a server sent under
/// the same strong validator may be combined (§15.3.7.3).
public enum StrongValidator: Sendable, Hashable {
    /// A strong entity tag, with its quotes.
    case entityTag(String)
    /// A modification date that is so old that a later change would have another date.
    case lastModified(HTTPDate)

    /// The least age of a modification date, in seconds, by the clock of the server (RFC 9110 §8.8.2.2).
    ///
    /// RFC 9110 allows one second if one clock makes both dates, but a client cannot know that. RFC 7232 §2.2.2
    /// required this minute.
    private static let leastAge: Int64 = 60

    /// The strong validator of a response; nil if there is none.
    ///
    /// A response with an entity tag that is weak, malformed or sent twice has none: its date must not be used (RFC
    /// 9110 §13.1.5).
    public init?(_ fields: Fields) {
        if fields.contains(.etag) {
            guard let tag = fields.onlyValue(.etag), StrongValidator.isStrongTag(tag) else { return nil }
            self = .entityTag(tag)
            return
        }
        guard let modified = fields.onlyDate(.lastModified), let date = fields.onlyDate(.date),
            date.seconds - modified.seconds >= StrongValidator.leastAge
        else { return nil }
        self = .lastModified(modified)
    }

    /// Whether the response with these fields has this validator, by strong comparison.
    public func holds(for fields: Fields) -> Bool {
        switch self {
        case .entityTag(let tag): fields.onlyValue(.etag) == tag
        case .lastModified(let date): !fields.contains(.etag) && fields.onlyDate(.lastModified) == date
        }
    }

    /// The value of `If-Range` (RFC 9110 §13.1.5).
    public var text: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): date.description
        }
    }

    /// Whether a tag is strong and valid (RFC 9110 §8.8.3: `DQUOTE *etagc DQUOTE`).
    private static func isStrongTag(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes[1..<(bytes.count - 1)].allSatisfy { $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }
    }
}

extension Fields {
    /// The value of the field, if there is exactly one of this name.
    func onlyValue(_ name: FieldName) -> String? {
        let values = values(name)
        return values.count == 1 ? String(decoding: Array(values[0].utf8)[...].trimmed, as: UTF8.self) : nil
    }

    fileprivate func onlyDate(_ name: FieldName) -> HTTPDate? {
        // The clock is used only for dates with two-digit years, whose century is a guess.
        onlyValue(name).flatMap { HTTPDate($0, now: HTTPDate(seconds: 0)) }
    }
}
