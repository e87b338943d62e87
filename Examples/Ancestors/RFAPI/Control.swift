import Dispatch
import Plugboard
import PlugboardEndpoints
import Synchronization

/// The definition came as a property list; the body is returned undecoded, and the sent bytes are counted.
func uploadSticker(_ api: Client) async {
    let sticker = EndpointBody.bytes(Bytes([UInt8](repeating: 7, count: 100_000)))
    let received = Mutex(TransferProgress())
    let call = api.call("Sticker", body: sticker, isStarted: false)
        .onSuccess { print("sticker: \($0.response.bytes.count) bytes came back") }
        .onFailure { print("failed: \($0)") }
        .onProgress { progress in received.withLock { $0 = progress } }
    call.start()
    var last = TransferProgress()
    for await progress in call.progress { last = progress }
    await call.ended()
    let (count, total) = received.withLock { ($0.received, $0.toReceive ?? 0) }
    print("sent: \(last.sent) of \(last.toSend ?? 0), received: \(count) of \(total)")
}

/// A message that is shown with a call, whatever its outcome.
final class Activity: CallDelegate {
    func callDidStart(_ call: any AnyCall) { print("show: \(call.identifier ?? "")") }
    func callDidFinish(_ call: any AnyCall) { print("hide: \(call.identifier ?? ""), \(call.state)") }
}

/// Suspends, resumes and cancels one call.
func controlOne(_ api: Client) async {
    let call = api.call("SlowTopic", ["id": 5])
    call.suspend()
    print("one: \(call.state)")
    call.resume()
    print("one: \(call.state)")
    call.cancel()
    await call.ended()
    print("one: \(call.state)")
}

/// Suspends, resumes and cancels all running calls together, or by one of their names.
func controlAll(_ api: Client) async {
    let call = api.call("SlowTopic", ["id": 3]).accessory(Activity())
    print(
        "suspended: \(api.calls.suspend(.all)), resumed: \(api.calls.resume(.all)), cancelled: \(api.calls.cancel(.all))"
    )
    await call.ended()

    let calls = [CallLabels(identifier: "one"), CallLabels(tag: "two"), CallLabels(category: "three")].map { labels in
        api.call("SlowTopic", ["id": 4], labels: labels)
    }
    for selection: CallSelection in [.identifier("one"), .tag("two"), .category("three")] {
        print("by name: \(api.calls.cancel(selection))")
    }
    for call in calls { await call.ended() }

    // Running calls end, and waiting ones are cancelled.
    let (running, waiting) = (api.call("News"), api.call("News", isStarted: false))
    await api.calls.finish()
    print("finished: \(running.state), \(waiting.state)")
}

/// A delegate instead of callbacks. The call holds it weakly, and callbacks only until they were called.
final class Screen: CallDelegate {
    private let life: AsyncStream<Never>.Continuation

    init(_ life: AsyncStream<Never>.Continuation) { self.life = life }

    deinit { life.finish() }

    func call(_ call: any AnyCall, didSucceed value: any Sendable) { print("screen: \(type(of: value))") }
}

/// Runs callbacks on a chosen executor: here the kernel's.
func useScreen(_ api: Client) async {
    let (end, life) = AsyncStream.makeStream(of: Never.self)
    show(Screen(life), api)
    for await _ in end {}
    print("the screen is released")
}

private func show(_ screen: Screen, _ api: Client) {
    api.call("News", executor: .task(api.kernel.executor))
        .delegate(screen)
        .onFinished { [screen] in print("\(type(of: screen)) has \($0)") }
}

/// Runs callbacks on a queue, on the main actor, or on the thread on which the call ends.
func chooseExecutor(_ api: Client) async {
    let queue = DispatchQueue(label: "screen")
    let executors: [(String, CallbackExecutor)] = [
        ("a queue", CallbackExecutor { queue.async(execute: $0) }), ("the main actor", .mainActor),
        ("none", .immediate),
    ]
    for (name, executor) in executors {
        await withCheckedContinuation { done in
            api.call("News", executor: executor)
                .onSuccess { print("on \(name): \($0.status)") }
                .onFinished { _ in done.resume() }
        }
    }
}
