/// A version of JSON Schema.
public enum SchemaDraft: String, Sendable, CaseIterable, Comparable {
    /// Draft 4.
    case draft4
    /// Draft 6.
    case draft6
    /// Draft 7.
    case draft7
    /// 2019-09.
    case draft2019 = "draft2019-09"
    /// 2020-12, the newest.
    case draft2020 = "draft2020-12"

    /// The draft with a `$schema` URI; nil for other meta-schemas.
    public init?(metaschema uri: String) {
        var uri = uri
        if uri.utf8.last == UInt8(ascii: "#") { uri.removeLast() }
        guard let draft = SchemaDraft.allCases.first(where: { $0.metaschema == uri }) else { return nil }
        self = draft
    }

    /// The URI of its meta-schema.
    public var metaschema: String {
        switch self {
        case .draft4: "http://json-schema.org/draft-04/schema"
        case .draft6: "http://json-schema.org/draft-06/schema"
        case .draft7: "http://json-schema.org/draft-07/schema"
        case .draft2019: "https://json-schema.org/draft/2019-09/schema"
        case .draft2020: "https://json-schema.org/draft/2020-12/schema"
        }
    }

    private var order: Int { SchemaDraft.allCases.firstIndex(of: self) ?? 0 }

    /// Older drafts are smaller.
    public static func < (left: SchemaDraft, right: SchemaDraft) -> Bool { left.order < right.order }
}
