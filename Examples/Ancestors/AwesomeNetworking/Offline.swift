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

/// What the user does meanwhile waits for the server; what he takes back is never sent.
func actOffline(_ client: Client) async {
    let calls: [any AnyCall] = [
        client.call(Feed()).onSuccess { tell("feed: \($0)") },
        client.call(Like(post: 1)).onSuccess { tell("liked 1") },
        client.call(Like(post: 2)).onSuccess { tell("liked 2") },
        client.call(Comment(post: 1, text: "So beautiful!")).onSuccess { tell("commented") },
        client.call(Comment(post: 2, text: "First!")).onFinished { tell("the comment to 2 has \($0)") },
    ]
    let likes = client.calls.cancel(.category("likes"))
    let comments = client.calls.cancel(.tag("comment-2"))
    tell("taken back: \(likes) likes, \(comments) comment")
    tell("waiting: \(client.calls.all.compactMap(\.tag))")
    for call in calls { await call.ended() }
}
