import Plugboard
import PlugboardEndpoints

/// Asks whether the server can be reached.
struct Probe: Endpoint {
    typealias Response = Void
    var method: Method { .head }
    var path: String { "" }
}

/// A request that the queue keeps under the labels of its endpoint.
protocol Kept: Endpoint {}

extension Kept {
    func prepare(_ request: inout Request) {
        request.queue.tag = tag
        request.queue.category = category
    }
}

struct Feed: Endpoint {
    typealias Response = [String]
    var path: String { "feed" }
}

struct Like: Kept, Encodable {
    typealias Response = Void
    let post: Int

    var method: Method { .put }
    var path: String { "posts/{post}/like" }
    var tag: String { "like-\(post)" }
    var category: String { "likes" }
}

/// A bookmark that is set or removed; opposite requests cancel each other out while they wait.
struct Bookmark: Endpoint {
    typealias Response = Void
    let post: Int
    let isSet: Bool

    var method: Method { isSet ? .put : .delete }
    var path: String { "posts/\(post)/bookmark" }
    func prepare(_ request: inout Request) {
        request.queue.collapseKey = "bookmark-\(post)"
        request.queue.collapse = .cancel
    }
}

struct Comment: Kept, Encodable {
    typealias Response = Void
    let post: Int
    let text: String

    var method: Method { .post }
    var path: String { "posts/{post}/comments" }
    var tag: String { "comment-\(post)" }
    var category: String { "comments" }
}

/// Stays in the journal while it is running: if the program ends before the response, the next process sends it again.
struct Follow: Kept, Encodable {
    typealias Response = Void
    let user: Int

    var method: Method { .put }
    var path: String { "slow/follows" }
    var tag: String { "follow-\(user)" }
    var category: String { "follows" }
    func prepare(_ request: inout Request) {
        request.queue.mode = .journal
        request.queue.tag = tag
        request.queue.category = category
    }
}
