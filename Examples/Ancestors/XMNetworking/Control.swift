import Dispatch
import Plugboard
import PlugboardEndpoints

/// Finds running calls by their names, and suspends, resumes and cancels them.
func cancel(_ client: Client) async {
    let calls = ["search", "feed", "image", "kind", "other"].map { name in
        var slow = SimpleEndpoint("slow", as: User.self)
        switch name {
        case "search": slow.identifier = name
        case "feed": slow.group = name
        case "image": slow.tag = name
        case "kind": slow.category = name
        default: break
        }
        return client.call(slow)
            .onFailure { _ in print("never printed") }
            .onFinished { print("\(name) has \($0)") }
    }
    calls[0].suspend()
    print("one: \(calls[0].state)")
    calls[0].resume()
    print("one: \(calls[0].state)")
    print("suspended: \(client.calls.suspend(.all)), resumed: \(client.calls.resume(.all))")
    print("cancelled: \(client.calls.cancel(.identifier("search")))")
    for selection: CallSelection in [.group("feed"), .tag("image"), .category("kind"), .all] {
        print("cancelled: \(client.calls.cancel(selection))")
    }
    for call in calls { await call.ended() }
}

/// Cancels waiting calls, and waits until running ones have ended.
func finish(_ client: Client) async {
    let running = client.call(SimpleEndpoint("user", ["id": 1], as: User.self))
    let waiting = client.call(SimpleEndpoint("never", as: User.self), isStarted: false)
    await client.calls.finish()
    print("finished: \(running.state), \(waiting.state)")
}

/// Shows results on the main actor.
@MainActor final class Screen {
    private let life: AsyncStream<Never>.Continuation

    init(_ life: AsyncStream<Never>.Continuation) { self.life = life }

    deinit { life.finish() }

    func show(_ user: User) { print("on the screen: \(user.name)") }
}

/// Only the callbacks hold the screen. They are released after they were called, and then the screen is released.
@MainActor func useScreen(_ client: Client) async {
    let (end, life) = AsyncStream.makeStream(of: Never.self)
    client.call(SimpleEndpoint("user", ["id": 1], as: User.self)).onSuccess(Screen(life).show)
    for await _ in end {}
    print("the screen is released")
}

/// Callbacks run on a queue, on the main actor, or where the call ends.
func chooseExecutor(_ client: Client) async {
    let queue = DispatchQueue(label: "screen")
    let executors: [(String, CallbackExecutor)] = [
        ("a queue", CallbackExecutor { queue.async(execute: $0) }), ("the main actor", .mainActor),
        ("none", .immediate),
    ]
    for (name, executor) in executors {
        await withCheckedContinuation { done in
            client.call(SimpleEndpoint("user", ["id": 1], as: User.self), executor: executor)
                .onSuccess { print("on \(name): \($0.name)") }
                .onFinished { _ in done.resume() }
        }
    }
}

/// A delegate instead of callbacks, which the call holds weakly.
final class Listener: CallDelegate {
    func call(_ call: any AnyCall, didSucceed value: any Sendable) { print("delegate: \(value)") }
    func call(_ call: any AnyCall, didFail error: PlugboardError) { print("delegate: \(error.code)") }
}

func useDelegate(_ client: Client) async {
    let listener = Listener()
    for path in ["users/text", "missing"] {
        await client.call(SimpleEndpoint(path, as: String.self)).delegate(listener).ended()
    }
    withExtendedLifetime(listener) {}
}
