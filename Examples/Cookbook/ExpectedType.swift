import PlugboardKit

/// `onResponse` and an attribute: fails a response whose type is not the one that the request expects.
struct ExpectedType: Plugin {
    static let id = "com.example.expected-type"

    /// In a plugin of your own this belongs in a module of options, which programs import without the plugin.
    static let type = AttributeKey<String>(id, "type", "The media type that the response must have.")

    static let manifest = Manifest(
        id: id, version: "1.0.0", documentation: "Refuses responses of another type than expected.", priority: 210,
        hooks: [.response], attributes: [type.definition])

    init(settings: NoSettings, host: PluginHost) {}

    func onResponse(_ exchange: borrowing Exchange) -> ResponseVerdict {
        guard let expected = exchange[Self.type], let response = exchange.response else { return .next }
        let type = response[.contentType]?.prefix { $0 != ";" && $0 != " " } ?? ""
        // RFC 9110 §8.3.1: types are case-insensitive.
        if type.lowercased() == expected.lowercased() { return .next }
        return .fail(
            PlugboardError(
                "com.example.expected-type.other",
                "The response is not of the type \(expected). Ask for that type, or change the attribute."))
    }
}
