import PlugboardEndpoints

struct Article: Decodable, Sendable {
    let id: Int
    let title: String
}

/// A page of news. It is fresh for three minutes; the version changes when the program's model does.
struct News: Endpoint, Encodable {
    typealias Response = [Article]
    let page: Int

    var path: String { "news" }
    var cache: CacheUse { CacheUse(timeToLive: .seconds(180), version: "2") }
}

/// An image of the CDN, written to a file.
///
/// The plugin resume requests the rest of an interrupted download. If the program ends before that, the next download
/// to the same path continues it.
struct Image: Endpoint {
    typealias Response = DownloadedFile
    let name: String
    let folder: String

    var path: String { "images/{name}" }
    var parameters: Parameters { ["name": name] }
    var usesCDN: Bool { true }
    var downloadPath: String { "\(folder)/\(name)" }
}

/// Registers a user; the parameters are sent as a form.
struct Register: Endpoint, Encodable {
    struct Response: Decodable, Sendable { let userId: Int }
    let nick: String
    let password: String

    var method: Method { .post }
    var path: String { "register" }
    var requestCodec: (any Codec)? { FormCodec() }
}

struct User: Decodable, Sendable {
    let nick: String
    let level: Int
}

/// A user, whose members and their types are checked before the model is made.
struct UserInfo: Endpoint, Encodable {
    typealias Response = User
    let userId: Int

    var path: String { "users/{userId}" }

    var validation: ResponseValidation {
        .shape(["nick": .string, "level": .number, "badges": [["name": .string]]])
    }
}

/// Greets a user on his first day.
struct Welcome: Endpoint, Encodable {
    typealias Response = Void
    let userId: Int

    var method: Method { .post }
    var path: String { "users/{userId}/welcome" }
}

/// A request with its own server and header fields.
struct Weather: Endpoint {
    typealias Response = String
    let base: String
    let path = "said"
    let fields: Fields = ["X-Units": "metric"]
}
