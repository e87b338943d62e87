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

/// A delegate in place of callbacks, which the call holds weakly; an accessory is held until the end of the call.
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
