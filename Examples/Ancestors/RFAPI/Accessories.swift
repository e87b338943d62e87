import Plugboard
import PlugboardEndpoints

/// While a request of a control is running, a button is disabled, a list refreshes, or a wheel spins.
func bindControls(_ api: Client, _ feed: IndicatorFeed) async {
    let facts = feed.facts
    let screen = Task {
        for await fact in facts {
            switch (fact.control, fact.kind) {
            case ("account", .willStart): print("button: disabled, \(fact.message)\(fact.isModal ? ", modal" : "")")
            case ("account", .didComplete): print("button: enabled")
            case ("list", .willStart): print("list: refreshing, \(fact.message)\(fact.isModal ? ", modal" : "")")
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

/// Prints all events of an accessory: the request will start, was suspended, resumed and cancelled, will complete, and
/// has completed.
func followStates(_ api: Client, _ feed: IndicatorFeed) async {
    let facts = feed.facts
    let call = api.call("SlowTopic", ["id": 6])
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
