import TestSupport

extension ServerResponse {
    /// A response with a text.
    static func text(_ text: String, fields: [ServerResponse.Field] = []) -> ServerResponse {
        ServerResponse(fields: [("Content-Type", "text/plain; charset=utf-8")] + fields, body: text)
    }

    /// What the servers of all ancestors respond, by the last part of the path; nil for others.
    ///
    /// - Parameter number: The request's among those to its path.
    static func usual(_ request: ReceivedRequest, _ number: Int = 1) -> ServerResponse? {
        let line = "\(request.method) \(request.target)"
        return switch request.path.split(separator: "/").last ?? "" {
        // What was received; a HEAD gets it in a field.
        case "said": .text(request.body.isEmpty ? line : "\(line) \(request.text)", fields: [("X-Said", line)])
        case "mirror": ServerResponse(fields: [("Content-Type", request["Content-Type"] ?? "")], body: request.body)
        case "who": .text("\(request["Authorization"] ?? "no credentials"), \(request["Cookie"] ?? "no cookie")")
        // The same in several formats.
        case "json": .json(["name": "from JSON"])
        case "plist":
            ServerResponse(
                fields: [("Content-Type", "application/x-plist")],
                body: "<plist version=\"1.0\"><dict><key>name</key><string>from a list</string></dict></plist>")
        case "xml":
            ServerResponse(fields: [("Content-Type", "application/xml")], body: "<a><name>from XML</name></a>")
        case "text": .text("grün")
        case "mislabelled": .text(#"{"name": "as JSON"}"#)
        case "wrapped": .json(["data": ["name": "unwrapped"]])
        // For a cache: with a time to live, with a validator, with neither.
        case "fresh": .text("response \(number)", fields: [("Cache-Control", "max-age=60")])
        case "tagged" where request["If-None-Match"] == "\"1\"": ServerResponse(status: 304)
        case "tagged": .text("response \(number)", fields: [("ETag", "\"1\""), ("Cache-Control", "no-cache")])
        case "plain": .text("response \(number)")
        // For the program's judge, its hook and its error handler.
        case "limited": .text("", fields: [("X-Limit", "10")])
        case "logout": ServerResponse(status: 401)
        default: nil
        }
    }
}
