import Plugboard
import PlugboardEndpoints
import Synchronization

/// Its definition came as a property list; the body is kept as it is, and the bytes that were sent are counted.
func uploadSticker(_ api: Client) async {
    let sticker = EndpointBody.bytes(Bytes([UInt8](repeating: 7, count: 100_000)))
    let received = Mutex(0)
    let call = api.call("Sticker", body: sticker, isStarted: false)
        .onSuccess { print("sticker: \($0.response.bytes.count) bytes came back") }
        .onFailure { print("failed: \($0)") }
        .onProgress { progress in received.withLock { $0 = progress.received } }
    call.start()
    var last = TransferProgress()
    for await progress in call.progress { last = progress }
    await call.ended()
    print("sent: \(last.sent) of \(last.toSend ?? 0), received: \(received.withLock { $0 })")
}

/// A message that is shown with a call, whatever becomes of it.
final class Activity: CallDelegate {
    func callDidStart(_ call: any AnyCall) { print("show: \(call.identifier ?? "")") }
    func callDidFinish(_ call: any AnyCall) { print("hide: \(call.identifier ?? ""), \(call.state)") }
}

/// All calls under way are suspended, resumed and cancelled together, or by one of their names.
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

    // What is under way ends, what waits is cancelled.
    let (running, waiting) = (api.call("News"), api.call("News", isStarted: false))
    await api.calls.finish()
    print("finished: \(running.state), \(waiting.state)")
}

/// A delegate stands in for callbacks. The call holds it weakly, and callbacks only until they were called.
final class Screen: CallDelegate {
    private let life: AsyncStream<Never>.Continuation

    init(_ life: AsyncStream<Never>.Continuation) { self.life = life }

    deinit { life.finish() }

    func call(_ call: any AnyCall, didSucceed value: any Sendable) { print("screen: \(type(of: value))") }
}

/// Callbacks run where the program says: here on an executor, the kernel's.
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

/// While a request is under way that belongs to it, a button is disabled, a list refreshes, or a wheel spins.
func bindControls(_ api: Client, _ feed: IndicatorFeed) async {
    let facts = feed.facts
    let screen = Task {
        for await fact in facts {
            switch (fact.control, fact.kind) {
            case ("account", .willStart): print("button: disabled, \(fact.message)\(fact.isModal ? ", modal" : "")")
            case ("account", .didComplete): print("button: enabled")
            case ("list", .willStart): print("list: refreshing")
            case ("list", .didComplete): print("list: refreshed")
            case ("wheel", .willStart): print("wheel: spinning")
            case ("wheel", .didComplete): return print("wheel: at rest")
            default: continue
            }
        }
    }
    for name in ["Account", "AccountList", "AccountWheel"] { await api.call(name).ended() }
    await screen.value
}
