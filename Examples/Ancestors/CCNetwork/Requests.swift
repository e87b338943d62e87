import PlugboardEndpoints

struct Register: Endpoint, Encodable {
    struct Response: Decodable, Sendable { let token: String }
    let name: String
    let password: String

    var method: Method { .post }
    var path: String { "register" }
}

struct User: Decodable, Sendable {
    let id: Int
    let name: String
}

struct FetchUser: Endpoint, Encodable {
    typealias Response = User
    let token: String

    var path: String { "user" }
}

struct Friends: Endpoint, Encodable {
    typealias Response = [String]
    let user: Int

    var path: String { "users/{user}/friends" }
}

/// A request without the general settings.
struct Photos: Endpoint, Encodable {
    typealias Response = [String]
    let usesGeneralFields = false
    let usesGeneralParameters = false
    let usesGeneralUserInfo = false
    let user: Int

    var path: String { "users/{user}/photos" }
}

/// The file is read while it is sent.
struct UploadAvatar: Endpoint {
    struct Response: Decodable, Sendable { let url: String }
    let user: Int
    let file: String

    var method: Method { .put }
    var path: String { "users/{user}/avatar" }
    var parameters: Parameters { ["user": user] }
    var body: EndpointBody { .file(file, type: "image/png") }
}

struct Messages: Endpoint {
    typealias Response = [String]
    var path: String { "messages" }
}

/// A request with its own server and header fields.
struct Weather: Endpoint {
    typealias Response = String
    let base: String
    let path = "said"
    let fields: Fields = ["X-Units": "metric"]
}

/// A request that ignores base, prefix, parameters and adapters.
struct Status: Endpoint {
    typealias Response = String
    let server: String

    var path: String { "" }

    func customRequest() throws(PlugboardError) -> Request? {
        var request = Request(.options, "\(server)/status")
        request["X-Probe"] = "1"
        return request
    }
}
