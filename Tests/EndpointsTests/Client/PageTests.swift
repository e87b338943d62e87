// What Documentation/endpoints.md shows.
import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import TestSupport
import Testing

struct Post: Codable, Sendable, Equatable {
    let id: Int
    let title: String
}

struct PostList: Endpoint, Encodable {
    typealias Response = [Post]
    var path: String { "boards/{board}/posts" }
    let board: String
    var page = 1
}

struct NewPost: Endpoint, Encodable {
    typealias Response = Post
    var method: Method { .post }
    var path: String { "boards/{board}/posts" }
    var queryParameters: Set<String> { ["draft"] }
    var timeouts: Timeouts { Timeouts(total: .seconds(10)) }
    let board: String
    let title: String
    var draft = true
}

struct Picture: Endpoint {
    typealias Response = DownloadedFile
    var path: String { "pictures/{name}" }
    var parameters: Parameters { ["name": name] }
    var downloadPath: String { folder + "/" + name }
    var usesCDN: Bool { true }
    let name: String
    let folder: String
}

func makeClient(_ kernel: Kernel) -> Client {
    var settings = ClientSettings(base: "https://api.example.com", cdn: "https://cdn.example.com", pathPrefix: "v2")
    settings.fields["X-App"] = "reader"
    settings.judge = { outcome in
        // The service responds with 200 and says in the body what happened.
        guard let code = try? outcome.response?.json["code"]?.intValue else { return outcome.verdict }
        return switch code {
        case 0: .success
        case 9: .ignore
        default: .failure(PlugboardError("reader.refused", "The service refused the request with \(code)."))
        }
    }
    settings.requestAdapters = [
        RequestAdapter { request, context in request["X-Signature"] = "\(request.method) \(request.url)" }
    ]
    settings.errorHandler = { error, context in
        // An expired session is handled here; the callbacks of the failure are not called.
        error.response?.status == 401 ? nil : error
    }
    settings.messages = MessageCatalog(
        [
            "en": ["timeout": "The server takes too long.", "*": "That did not work."],
            "de": ["timeout": "Der Server braucht zu lange.", "*": "Das hat nicht geklappt."],
        ], fallback: "en")
    return Client(kernel: kernel, settings: settings)
}

func show(_ client: Client, on screen: Record) -> Call<[Post]> {
    client.call(PostList(board: "swift"), labels: CallLabels(tag: "feed"), executor: .mainActor)
        .onSuccess { posts in screen.add(posts[0].title) }
        .onFailure { error in screen.add(client.settings.messages.message(for: error)) }
        .onProgress { progress in screen.add("\(progress.received) of \(progress.toReceive ?? 0)") }
        .onFinished { state in screen.add("\(state)") }
}

func loadBoards(_ client: Client) async throws -> [String] {
    let boards = ["swift", "linux"].map { PostList(board: $0) }
    let lists = try await client.batch(boards)
    let (first, page) = try await client.batch(PostList(board: "swift"), PostList(board: "swift", page: 2))
    let results = try await client.batchResults(boards, options: BatchOptions(cancelsAtFailure: false, limit: 4))
    return (lists + [first, page] + results.compactMap { try? $0.get() }).map { $0[0].title }
}

func publish(_ title: String, _ client: Client) async throws -> ChainResults {
    try await Chain(client)
        .step("newest") { _ in PostList(board: "swift") }
        .perform { chain in
            // From inside: begins no further step.
            if try chain.value(of: PostList.self).contains(where: { $0.title == title }) { chain.stop() }
        }
        .step("new") { _ in NewPost(board: "swift", title: title) }
        .onStep { chain, step in
            // A step that is added while the chain runs.
            if step.name == "new" { chain.add("after") { _ in PostList(board: "swift") } }
        }
        .results
}

@Suite struct PageTests {
    @Test func `the batches and chains of the page work`() async throws {
        let transport = ScriptedTransport { sent, _ in
            guard sent.method != .post else { return .respond(201, body: .text(#"{"id": 8, "title": "New"}"#)) }
            let title = sent.url.contains("linux") ? "epoll" : "Macros"
            return .respond(200, body: .text(#"[{"id": 7, "title": "\#(title)"}]"#))
        }
        let client = makeClient(try Kernel(transport: transport))

        let titles = try await loadBoards(client)
        let new = try await publish("New", client)
        let known = try await publish("Macros", client)

        #expect(titles == ["Macros", "epoll", "Macros", "Macros", "Macros", "epoll"])
        #expect(new.steps.map(\.name) == ["newest", "new", "after"])
        #expect(known.steps.map(\.name) == ["newest"])
        #expect(known.isStopped)
    }

    @Test func `what the page shows works`() async throws {
        let transport = ScriptedTransport { sent, _ in
            switch sent.method {
            case .post: .respond(201, body: .text(#"{"id": 8, "title": "New"}"#))
            default:
                sent.url.hasPrefix("https://cdn.")
                    ? .respond(200, body: .text("picture"))
                    : .respond(200, body: .text(#"[{"id": 7, "title": "Macros"}]"#))
            }
        }
        let client = makeClient(try Kernel(transport: transport))
        let folder = try TemporaryFolder()
        let screen = Record()

        let posts = try await client.send(PostList(board: "swift"))
        let new = try await client.send(NewPost(board: "swift", title: "New"))
        let file = try await client.send(Picture(name: "lake.jpg", folder: folder.path))
        let call = show(client, on: screen)
        _ = try await call.value
        while screen.lines.count < 2 { await Task.yield() }

        #expect(posts == [Post(id: 7, title: "Macros")])
        #expect(new.id == 8)
        #expect(file.byteCount == 7)
        #expect(screen.lines == ["Macros", "succeeded"])
        #expect(
            transport.requests.map { "\($0.method) \($0.url)" } == [
                "GET https://api.example.com/v2/boards/swift/posts?page=1",
                "POST https://api.example.com/v2/boards/swift/posts?draft=true",
                "GET https://cdn.example.com/v2/pictures/lake.jpg",
                "GET https://api.example.com/v2/boards/swift/posts?page=1",
            ])
        #expect(transport.requests[1].body?.text == #"{"title":"New"}"#)
    }
}
