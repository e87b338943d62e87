import Plugboard
import PlugboardEndpoints

// The lines of code of Documentation/migration.md: one for each row of its tables.

struct Post: Codable, Sendable {
    var id: Int
    var text: String
}

struct PostList: Endpoint, Encodable {
    typealias Response = [Post]
    var path: String { "boards/{board}/posts" }
    let board: String
    var page = 1
}

struct NewPost: Endpoint {
    typealias Response = Post
    var method: Method { .post }
    var path: String { "posts" }
    var parameters: Parameters { ["text": text] }
    var fields: Fields { ["X-Draft": "no"] }
    var cache: CacheUse { CacheUse(timeToLive: .seconds(180), version: "2") }
    var timeouts: Timeouts { Timeouts(total: .seconds(30)) }
    var attempts: Int { 3 }
    var usesCDN: Bool { true }
    var usesGeneralFields: Bool { false }
    var acceptableStatuses: StatusSet { [200, 201] }
    var responseCodec: (any Codec)? { .json }
    var downloadPath: String { "" }
    var queryParameters: Set<String> { ["token"] }
    let text: String
}

func requests(_ kernel: Kernel, _ url: String, _ post: Post) async throws(PlugboardError) {
    let posts: [Post] = try await kernel.send(Request(.get, url)).requireStatus().decode()
    let created: Post = try await kernel.send(Request(.post, url, json: post)).requireStatus().decode()
    let form = try Request(.post, url, form: ["text": created.text, "tags": posts.map(\.text)])
    let upload = try Request(.post, url, multipart: MultipartForm([.file("photo", "lake.jpg")]))
    _ = try await (kernel.send(form), kernel.send(upload))
    try await kernel.send(Request(.get, url)).body.write(to: "lake.jpg") { print($0.received, $0.toReceive ?? 0) }
    for try await line in try await kernel.send(Request(.get, url)).body.lines { print(line) }
    for try await event in kernel.serverSentEvents(Request(.get, url)) { print(event.data) }
}

func options(_ url: String) -> Request {
    var request = Request(.get, url)
    request.retry.attempts = 3
    request.redirect.follow = false
    request.cookies.send = false
    request.cache.timeToLive = .seconds(180)
    request.authentication.basic(user: "ada", password: "secret")
    request.options.tls.pins = ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
    request.options.timeout = .seconds(30)
    return request
}
