import Plugboard
import PlugboardEndpoints

/// Suspends, resumes and cancels a running call.
func controlOne(_ client: Client) async {
    let call = client.call(SimpleEndpoint("slow/feed", as: [String].self))
    call.suspend()
    tell("one: \(call.state)")
    call.resume()
    tell("one: \(call.state)")
    call.cancel()
    tell("one: \(call.state)")
    await call.ended()
}

/// Cancels calls by their names, and all calls at once.
func cancel(_ client: Client) async {
    let labels = [
        CallLabels(identifier: "one"), CallLabels(group: "home"), CallLabels(tag: "search"),
        CallLabels(category: "feeds"), CallLabels(),
    ]
    let calls = labels.map { client.call(SimpleEndpoint("slow/feed", as: [String].self), labels: $0) }
    for selection: CallSelection in [.identifier("one"), .group("home"), .tag("search"), .category("feeds"), .all] {
        tell("cancelled: \(client.calls.cancel(selection))")
    }
    for call in calls { await call.ended() }
    tell("calls: \(calls.map { "\($0.state)" })")
}

/// Cancels waiting calls, and waits until running ones have ended.
func finish(_ client: Client) async {
    let running = client.call(Feed())
    let waiting = client.call(Feed(), isStarted: false)
    await client.calls.finish()
    tell("finished: \(running.state), \(waiting.state)")
}
