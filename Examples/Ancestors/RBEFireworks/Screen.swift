import Dispatch
import Plugboard
import PlugboardEndpoints

/// Where the callbacks of a screen run.
private let queue = DispatchQueue(label: "screen")

final class Screen: Sendable {
    private let life: AsyncStream<Never>.Continuation

    init(_ life: AsyncStream<Never>.Continuation) { self.life = life }

    deinit { life.finish() }

    func show(_ news: [Article]) {
        dispatchPrecondition(condition: .onQueue(queue))
        print("on the screen's queue: \(news.map(\.title))")
    }
}

/// Only the callbacks hold the screen. They are released after they were called, and then the screen is released.
func useScreen(_ client: Client) async {
    let (end, life) = AsyncStream.makeStream(of: Never.self)
    client.call(News(page: 2), executor: CallbackExecutor { queue.async(execute: $0) })
        .onSuccess { [screen = Screen(life)] in screen.show($0) }
        .onFailure { print("failed: \($0.code)") }
    for await _ in end {}
    print("the screen is released")
}

/// Callbacks run on a queue, on the main actor, or where the call ends.
func chooseExecutor(_ client: Client) async {
    let executors: [(String, CallbackExecutor)] = [
        ("a queue", CallbackExecutor { queue.async(execute: $0) }), ("the main actor", .mainActor),
        ("none", .immediate),
    ]
    for (name, executor) in executors {
        await withCheckedContinuation { done in
            client.call(News(page: 2), executor: executor)
                .onSuccess { print("on \(name): \($0.count)") }
                .onFinished { _ in done.resume() }
        }
    }
}

/// A request of the button "save": the program disables it while the request is running, and the user waits.
struct Save: Endpoint {
    typealias Response = Void
    let method = Method.patch
    let path = "save"

    func prepare(_ request: inout Request) {
        request.indicator.control = "save"
        request.indicator.message = "Saving"
        request.indicator.modal = true
    }
}

/// A request of a list that refreshes, or of a wheel that spins.
struct Reload: Endpoint {
    typealias Response = Void
    let method = Method.patch
    let path = "save"
    let control: String

    func prepare(_ request: inout Request) {
        request.indicator.control = control
        request.indicator.message = "Reloading"
    }
}

/// The behaviour of each control during and after a request.
private let controls = [
    "save": ("disabled", "enabled"), "list": ("refreshing", "refreshed"), "wheel": ("spinning", "at rest"),
]

func bindControls(_ client: Client, _ feed: IndicatorFeed) async throws {
    let facts = feed.facts
    let screen = Task {
        var idle = 0
        for await fact in facts {
            guard let name = fact.control, let (during, afterwards) = controls[name] else { continue }
            switch fact.kind {
            case .willStart:
                print("\(name): \(during), \(fact.message)\(fact.isModal ? ", the user waits" : "")")
            case .didComplete:
                print("\(name): \(afterwards)")
                idle += 1
                if idle == controls.count { return }
            default: continue
            }
        }
    }
    try await client.send(Save())
    try await client.send(Reload(control: "list"))
    try await client.send(Reload(control: "wheel"))
    await screen.value
}

/// Prints all events of an accessory: the request will start, was suspended, resumed and cancelled, will complete, and
/// has completed.
func followStates(_ client: Client, _ feed: IndicatorFeed) async {
    let facts = feed.facts
    let call = client.call(SimpleEndpoint("slow", as: String.self))
    for await fact in facts {
        switch fact.kind {
        case .willStart: call.suspend()
        case .suspended: call.resume()
        case .resumed: call.cancel()
        case .progress, .shown, .hidden: continue
        case .cancelled, .willComplete, .didComplete: break
        }
        print("accessory: \(fact.kind)")
        if fact.kind == .didComplete { return }
    }
}
