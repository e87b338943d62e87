import Plugboard
import PlugboardEndpoints

/// Prints the state of the network, now and whenever it changes.
func announceChanges(of kernel: Kernel) throws -> Task<Void, Never> {
    let changes = try kernel.reachability().changes()
    return Task {
        for await network in changes { tell("network: \(network.isReachable ? "\(network.kind)" : "not reachable")") }
    }
}

/// Prints whether the server can be reached.
func probe(_ client: Client) async {
    do throws(PlugboardError) {
        try await client.send(Probe())
        tell("online")
    } catch {
        tell(error.code == .transportConnect ? "offline" : "failed: \(error)")
    }
}

/// Sends the requests that the process before has left in the file; false if there are none.
func deliverEarlier(_ kernel: Kernel) async throws -> Bool {
    let left = try await kernel.queue.list()
    for request in left {
        let outcome = try await kernel.queue.outcome(of: request.id)
        tell("left by the process before: \(request.tag ?? ""), \(outcome.hasSucceeded ? "" : "not ")delivered")
        try await kernel.queue.acknowledge([request.id])
    }
    return !left.isEmpty
}

/// Keeps requests of the user on the disk until the server can be reached; requests that he takes back are never sent.
func actOffline(_ client: Client) async throws {
    let queue = client.kernel.queue
    for post in 1...2 { _ = try await client.kernel.sendLater(try await client.request(for: Like(post: post))) }
    let comment = try await client.kernel.sendLater(
        try await client.request(for: Comment(post: 1, text: "So beautiful!")))
    // The user waits only until the request is on the disk; "delivered" comes later.
    tell("sent: \(try await queue.list(tag: "comment-1").map(\.method))")
    _ = try await client.kernel.sendLater(try await client.request(for: Comment(post: 2, text: "First!")))

    for isSet in [true, false] {
        _ = try await client.kernel.sendLater(try await client.request(for: Bookmark(post: 1, isSet: isSet)))
        let waiting = try await queue.list(state: .waiting).filter { $0.url.hasSuffix("/bookmark") }
        tell("bookmarks: \(waiting.count)")
    }
    // The outcomes are reported until the program acknowledges them.
    let ended = try await queue.outcomes()
    try await queue.acknowledge(ended.map(\.id))

    let likes = try await queue.drop(category: "likes")
    let comments = try await queue.drop(tag: "comment-2")
    tell("taken back: \(likes) likes, \(comments) comment")
    // The call ends when its request is on the disk; another callback reports the delivery.
    let like = client.call(Like(post: 3))
        .onSuccess { _ in tell("never printed") }
        .onFinished { tell("like: \($0)") }
    await like.ended()
    tell("waiting: \(try await queue.list().compactMap(\.tag))")

    let delivery = await withCheckedContinuation { told in like.onQueueOutcome { told.resume(returning: $0) } }
    tell("like: \(try delivery.get().hasSucceeded ? "" : "not ")delivered")
    try await queue.acknowledge([try delivery.get().id])
    try await addComment(client)
    let outcome = try await queue.outcome(of: comment)
    tell(outcome.hasSucceeded ? "commented" : "not commented: \(outcome.reason ?? "")")
    try await queue.acknowledge([comment])
    tell("feed: \(try await client.send(Feed()))")
}

/// Adds a request of a category after those that wait. Returns when the server has received it, now or later.
func addComment(_ client: Client) async throws {
    do throws(PlugboardError) {
        try await client.send(Comment(post: 3, text: "Me too!"))
    } catch {
        guard let ticket = error.queueTicket else { throw error }
        _ = try await client.kernel.queue.outcome(of: ticket)
        try await client.kernel.queue.acknowledge([ticket])
    }
}

/// Returns while the request is still running.
func follow(_ client: Client) async throws {
    let call = client.call(Follow(user: 7))
    for await progress in call.progress where progress.sent > 0 { break }
    tell("under way: \(try await client.kernel.queue.list(tag: "follow-7").map { "\($0.state)" })")
}
