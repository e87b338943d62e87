import Plugboard
import PlugboardEndpoints

/// Says what network there is, and each time that it changes.
func announceChanges(of kernel: Kernel) throws -> Task<Void, Never> {
    let changes = try kernel.reachability().changes()
    return Task {
        for await network in changes { tell("network: \(network.isReachable ? "\(network.kind)" : "not reachable")") }
    }
}

/// Says whether the server is there.
func probe(_ client: Client) async {
    do throws(PlugboardError) {
        try await client.send(Probe())
        tell("online")
    } catch {
        tell(error.code == .transportConnect ? "offline" : "failed: \(error)")
    }
}

/// What the user does meanwhile is kept on the disk until the server is there; what he takes back is never sent.
func actOffline(_ client: Client) async throws {
    let queue = client.kernel.queue
    for post in 1...2 { _ = try await client.kernel.sendLater(try await client.request(for: Like(post: post))) }
    let comment = try await client.kernel.sendLater(
        try await client.request(for: Comment(post: 1, text: "So beautiful!")))
    _ = try await client.kernel.sendLater(try await client.request(for: Comment(post: 2, text: "First!")))

    for isSet in [true, false] {
        _ = try await client.kernel.sendLater(try await client.request(for: Bookmark(post: 1, isSet: isSet)))
        let waiting = try await queue.list(state: .waiting).filter { $0.url.hasSuffix("/bookmark") }
        tell("bookmarks: \(waiting.count)")
    }

    let likes = try await queue.drop(category: "likes")
    let comments = try await queue.drop(tag: "comment-2")
    tell("taken back: \(likes) likes, \(comments) comment")
    tell("waiting: \(try await queue.list().compactMap(\.tag))")

    let outcome = try await queue.outcome(of: comment)
    tell(outcome.hasSucceeded ? "commented" : "not commented: \(outcome.reason ?? "")")
    try await queue.acknowledge([comment])
    tell("feed: \(try await client.send(Feed()))")
}
