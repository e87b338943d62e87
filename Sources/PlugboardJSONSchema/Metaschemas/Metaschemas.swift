import PlugboardJSON

/// The meta-schemas of the drafts, as json-schema.org publishes them.
enum Metaschemas {
    /// The meta-schema or vocabulary of a URI.
    static func document(_ uri: String) -> JSONValue? {
        for texts in [draft2020, draft2019, draft7, draft6, draft4] {
            if let text = texts[uri] { return try? JSONParser.parse(text) }
        }
        return nil
    }
}
