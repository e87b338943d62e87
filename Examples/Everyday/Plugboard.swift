// Ten everyday tasks with Plugboard.
import Plugboard

struct Topic: Codable, Sendable {
    var id: Int
    var title: String
}

struct Service {
    typealias Progress = @Sendable (TransferProgress) -> Void
    /// Its configuration says `"baseURL": "https://api.example.com/"` and enables the plugins `retry` and `cache`.
    let kernel: Kernel

    // 1
    func topics() async throws -> [Topic] {
        try await kernel.send(Request(.get, "topics")).requireStatus().decode()
    }

    // 2
    func create(_ topic: Topic) async throws -> Topic {
        try await kernel.send(Request(.post, "topics", json: topic)).requireStatus().decode()
    }

    // 3
    func search(_ words: String, tags: [String]) async throws -> [Topic] {
        let request = try Request(.get, "search", query: ["words": words, "tags": tags])
        return try await kernel.send(request).requireStatus().decode()
    }

    // 4
    func logIn(_ user: String, _ password: String) async throws {
        let request = try Request(.post, "login", form: ["user": user, "password": password])
        _ = try await kernel.send(request).requireStatus()
    }

    // 5
    func upload(_ photo: String, title: String, progress: @escaping Progress) async throws {
        let form = MultipartForm([.text("title", title), try .file("photo", photo)])
        let response = try await kernel.send(Request(.post, "photos", multipart: form)) { notice in
            if case .progress(let bytes) = notice { progress(bytes) }
        }
        _ = try await response.requireStatus()
    }

    // 6
    func download(_ name: String, to file: String, progress: @escaping Progress) async throws {
        let response = try await kernel.send(Request(.get, name)).requireStatus()
        try await response.body.write(to: file, progress: progress)
    }

    // 7
    func problem(with id: Int) async throws -> String? {
        do throws(PlugboardError) {
            _ = try await kernel.send(Request(.get, "topics/\(id)")).requireStatus()
            return nil
        } catch {
            guard let response = error.response else { throw error }
            return response.firstBytes.text
        }
    }

    // 8
    func persistentTopics() async throws -> [Topic] {
        var request = Request(.get, "topics")
        request.retry.attempts = 3
        request.retry.statuses = [503]
        return try await kernel.send(request).requireStatus().decode()
    }

    // 9
    func storedTopics() async throws -> [Topic] {
        var request = Request(.get, "topics")
        request.cache.timeToLive = .seconds(180)
        request.cache.overrides = true
        return try await kernel.send(request).requireStatus().decode()
    }

    // 10
    func events(_ handle: (String) -> Void) async throws {
        for try await event in kernel.serverSentEvents(Request(.get, "events")) { handle(event.data) }
    }
}
