import Dispatch
import Plugboard
import PlugboardEndpoints

/// A message on the screen for each request that carries it: shown at its start, hidden at its end.
final class Message: CallDelegate {
    private let text: String

    init(_ text: String) { self.text = text }

    func callDidStart(_ call: any AnyCall) { print("show: \(text)") }
    func callDidSuspend(_ call: any AnyCall) { print("pause: \(text)") }
    func callDidResume(_ call: any AnyCall) { print("go on: \(text)") }
    func callDidFinish(_ call: any AnyCall) { print("hide: \(text), \(call.state)") }
}

/// A delegate instead of callbacks, which the call holds weakly; an accessory is held until the end of the call.
final class Screen: CallDelegate {
    func call(_ call: any AnyCall, didSucceed value: any Sendable) { print("screen: \(value)") }
    func call(_ call: any AnyCall, didFail error: PlugboardError) { print("screen: \(error.code)") }
}

func watch(_ client: Client) async {
    let screen = Screen()
    for day in [1, 404] {
        await client.call(Flights(day: day, model: "1")).accessory(Message("day \(day)")).delegate(screen).ended()
    }
    withExtendedLifetime(screen) {}

    let call = client.call(Slow(number: 4)).accessory(Message("slow"))
    call.suspend()
    call.resume()
    call.cancel()
    await call.ended()
}

/// Shows the flights of a day, on the main actor.
@MainActor final class Board {
    private let life: AsyncStream<Never>.Continuation

    init(_ life: AsyncStream<Never>.Continuation) { self.life = life }

    deinit { life.finish() }

    func show(_ flights: [String]) { print("board: \(flights.count) flights") }
}

/// The callbacks run on the main actor. Only they hold the board, and they are released after they were called.
@MainActor func useBoard(_ client: Client) async {
    let (end, life) = AsyncStream.makeStream(of: Never.self)
    client.call(Flights(day: 1, model: "1"), executor: .mainActor)
        .onSuccess(Board(life).show)
        .onCompletion { _ in print("board: complete") }
    for await _ in end {}
    print("the board is gone")
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
            client.call(Flights(day: 1, model: "1"), executor: executor)
                .onSuccess { print("on \(name): \($0.count)") }
                .onFinished { _ in done.resume() }
        }
    }
}

/// A request of the button "book", which is disabled while the request is running; the user waits.
struct Book: Endpoint {
    typealias Response = [String]
    let method = Method.post
    let path = "bookings"

    func prepare(_ request: inout Request) {
        request.indicator.control = "book"
        request.indicator.message = "Booking"
        request.indicator.modal = true
    }
}

/// The bookings, for a list that refreshes, or with a wheel that spins.
struct Bookings: Endpoint {
    typealias Response = [String]
    let path = "bookings"
    let control: String

    func prepare(_ request: inout Request) {
        request.indicator.control = control
        request.indicator.message = "Reloading"
    }
}

func bindControls(_ client: Client, _ feed: IndicatorFeed) async throws {
    let facts = feed.facts
    let screen = Task {
        for await fact in facts {
            switch (fact.control, fact.kind) {
            case ("book", .willStart): print("button: disabled, \(fact.message)\(fact.isModal ? ", modal" : "")")
            case ("book", .didComplete): print("button: enabled")
            case ("list", .willStart): print("list: refreshing, \(fact.message)\(fact.isModal ? ", modal" : "")")
            case ("list", .didComplete): print("list: refreshed")
            case ("wheel", .willStart): print("wheel: spinning")
            case ("wheel", .didComplete): return print("wheel: at rest")
            default: continue
            }
        }
    }
    _ = try await client.send(Book())
    for control in ["list", "wheel"] { _ = try await client.send(Bookings(control: control)) }
    await screen.value
}

/// Prints all events of an accessory: the request will start, was suspended, resumed and cancelled, will complete, and
/// has completed.
func followStates(_ client: Client, _ feed: IndicatorFeed) async {
    let facts = feed.facts
    let call = client.call(Slow(number: 5))
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
