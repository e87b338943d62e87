import PlugboardJSON
import PlugboardKit

/// A response, complete or in part, as a reply of `plugboard exec` describes it.
struct DriverResult {
    let response: Response
    /// Nil if the body was written to a file.
    var body: [UInt8]?
    var interim: [ResponseHead] = []
    /// How the plugin `cache` took part.
    var cache: String?

    func reply(id: JSONValue?) -> JSONObject {
        var reply: JSONObject = [
            "id": id ?? .null, "status": .number(JSONNumber(response.status)), "reason": .string(response.head.reason),
            "headers": DriverResult.pairs(response.fields),
        ]
        if let body { reply["body_b64"] = .string(Base64.encode(body)) }
        reply["url"] = .string(response.url)
        reply["http_version"] = .string(response.head.version.rawValue)
        if !interim.isEmpty {
            reply["interim"] = .array(
                interim.map { ["status": .number(JSONNumber($0.status)), "headers": DriverResult.pairs($0.fields)] })
        }
        if let cache { reply["cache"] = .string(cache) }
        reply["attempts"] = .number(JSONNumber(response.attempts))
        return reply
    }

    private static func pairs(_ fields: Fields) -> JSONValue {
        .array(
            fields.indices.map { index in
                fields.withField(index) { name, value in
                    [.string(Isomorphic.text(name)), .string(Isomorphic.text(value))]
                }
            })
    }
}
