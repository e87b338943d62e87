import PlugboardEndpoints

/// Asks whether the server is there, once: it is not repeated.
struct Probe: Endpoint {
    typealias Response = Void
    var method: Method { .head }
    var path: String { "" }
    var attempts: Int? { 1 }
}

struct Feed: Endpoint {
    typealias Response = [String]
    var path: String { "feed" }
    var tag: String? { "feed" }
    var category: String? { "reading" }
}

struct Like: Endpoint, Encodable {
    typealias Response = Void
    let post: Int

    var method: Method { .put }
    var path: String { "posts/{post}/like" }
    var tag: String? { "like-\(post)" }
    var category: String? { "likes" }
}

struct Comment: Endpoint, Encodable {
    typealias Response = Void
    let post: Int
    let text: String

    var method: Method { .post }
    var path: String { "posts/{post}/comments" }
    var tag: String? { "comment-\(post)" }
    var category: String? { "comments" }
}
