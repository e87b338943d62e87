/// A pattern of media types: `application/json`, `text/*`, `*/*+json`. Compared without regard to case.
public struct MediaTypePattern: Sendable {
    private let type: String
    private let subtype: String
    /// The suffix that subtypes must have, such as `+json`; nil unless the subtype of the pattern is like `*+json`.
    private let suffix: String?

    /// Nil for a text without exactly one slash, or with an empty part.
    public init?(_ text: String) {
        let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        (type, subtype) = (String(parts[0]), String(parts[1]))
        suffix = subtype.hasPrefix("*+") ? String(subtype.dropFirst(1)) : nil
    }

    /// The type and subtype of a value of Content-Type, in lower case.
    public static func essence(of value: String) -> String {
        String(value.prefix { $0 != ";" }).lowercased().filter { $0 != " " && $0 != "\t" }
    }

    /// Whether a type and subtype in lower case fits.
    public func matches(_ essence: String) -> Bool {
        guard let slash = essence.firstIndex(of: "/") else { return false }
        let found = (type: essence[..<slash], subtype: essence[slash...].dropFirst())
        guard type == "*" || type == found.type else { return false }
        if let suffix { return found.subtype.hasSuffix(suffix) }
        return subtype == "*" || subtype == found.subtype
    }
}
