import PlugboardEndpoints

/// Its definition came as a property list; the body is kept as it is, and the bytes that were sent are counted.
func uploadSticker(_ api: Client) async {
    let call = api.call("Sticker", body: .bytes(Bytes([UInt8](repeating: 7, count: 100_000))))
        .onSuccess { print("sticker: \($0.response.bytes.count) bytes came back") }
        .onFailure { print("failed: \($0)") }
    var last = CallProgress()
    for await progress in call.progress { last = progress }
    await call.ended()
    print("sent: \(last.sent) of \(last.toSend ?? 0)")
}

/// A message that is shown with a call, whatever becomes of it.
final class Activity: CallDelegate {
    func callDidStart(_ call: any AnyCall) { print("show: \(call.identifier ?? "")") }
    func callDidFinish(_ call: any AnyCall) { print("hide: \(call.identifier ?? ""), \(call.state)") }
}

/// All calls under way are suspended, resumed and cancelled together.
func controlAll(_ api: Client) async {
    let call = api.call("SlowTopic", ["id": 3]).accessory(Activity())
    print(
        "suspended: \(api.calls.suspend(.all)), resumed: \(api.calls.resume(.all)), cancelled: \(api.calls.cancel(.all))"
    )
    await call.ended()
}
