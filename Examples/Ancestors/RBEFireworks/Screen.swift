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

/// The callbacks are all that holds the screen. They are released when they were called, and the screen goes.
func useScreen(_ client: Client) async {
    let (end, life) = AsyncStream.makeStream(of: Never.self)
    client.call(News(page: 2), executor: CallbackExecutor { queue.async(execute: $0) })
        .onSuccess { [screen = Screen(life)] in screen.show($0) }
        .onFailure { print("failed: \($0.code)") }
    for await _ in end {}
    print("the screen is released")
}

/// Saves, and belongs to the button "save": the program disables it while the request is under way, and the user waits.
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

func bindControl(_ client: Client, _ feed: IndicatorFeed) async throws {
    let facts = feed.facts
    let button = Task {
        for await fact in facts where fact.control == "save" {
            switch fact.kind {
            case .willStart: print("save: disabled, \(fact.message)\(fact.isModal ? ", the user waits" : "")")
            case .didComplete: return print("save: enabled, \(fact.outcome ?? "")")
            default: continue
            }
        }
    }
    try await client.send(Save())
    await button.value
}
