import PlugboardEndpoints
import Synchronization

/// Finds, suspends, resumes and cancels calls by their names; a cancellation is not a failure.
func control(_ client: Client) async {
    let calls = (1...5).map { number in
        client.call(
            SimpleEndpoint("slow", as: String.self),
            labels: CallLabels(
                identifier: "call \(number)", group: number == 2 ? "feed" : nil, tag: number == 3 ? "search" : nil,
                category: number == 4 ? "images" : nil)
        )
        .onFailure { _ in print("never printed") }
    }
    calls[0].suspend()
    print("one: \(calls[0].state)")
    calls[0].resume()
    print("one: \(calls[0].state)")
    print("suspended: \(client.calls.suspend(.all)), resumed: \(client.calls.resume(.all))")
    for selection: CallSelection in [.identifier("call 1"), .group("feed"), .tag("search"), .category("images"), .all] {
        print("cancelled: \(client.calls.cancel(selection))")
    }
    for call in calls { await call.ended() }
    print("states: \(calls.map { "\($0.state)" })")

    // Cancels waiting calls after running ones have ended.
    let running = client.call(News(page: 2))
    let waiting = client.call(News(page: 3), isStarted: false)
    await client.calls.finish()
    print("finished: \(running.state), \(waiting.state)")
}

/// A request with its own time limit, credentials, user info for the program, and without cookies.
struct Account: Endpoint {
    typealias Response = String
    let timeouts = Timeouts(total: .seconds(30))
    let credentials = Credentials.basic(user: "ada", password: "secret")
    let usesCookies = false
    let userInfo: [String: any Sendable] = ["screen": "account"]

    var path: String { "account" }
}

/// A request that ignores base, prefix, parameters and codecs.
struct Options: Endpoint {
    typealias Response = String
    let server: String

    var path: String { "" }
    func customRequest() throws(PlugboardError) -> Request? { Request(.options, "\(server)/options") }
}

func sendSpecial(_ client: Client, _ server: String) async throws {
    print("weather: \(try await client.send(Weather(base: "\(server)/weather")))")
    // Any method, to any URL.
    for method: Method in [.head, .patch, .delete, "REPORT"] {
        let response = try await client.send(SimpleEndpoint(method, "\(server)/any", as: ReceivedResponse.self))
        print("any method: \(response["X-Method"] ?? "none")")
    }
    try await client.kernel.cookies.set("theme=dark; Path=/", for: server)
    let account = client.call(Account())
    print("account: \(try await account.value), screen \(account.userInfo["screen"] as? String ?? "none")")
    print("with cookies: \(try await client.send(SimpleEndpoint("account", as: String.self)))")
    var hasty = SimpleEndpoint("slow", as: String.self)
    hasty.timeouts = Timeouts(total: .milliseconds(20))
    do throws(PlugboardError) { _ = try await client.send(hasty) } catch { print("hasty: \(error.code)") }
    // The request that would be sent, for people.
    print(try await client.request(for: Account()))
}

/// Reads the bytes in both directions, with totals, as a sequence and by callbacks.
func upload(_ client: Client) async throws {
    var photo = SimpleEndpoint(.put, "photo", as: String.self)
    photo.body = .bytes(Bytes([UInt8](repeating: 7, count: 100_000)))
    let received = Mutex(TransferProgress())
    let call = client.call(photo, isStarted: false)
    call.onProgress { progress in received.withLock { $0 = progress } }.start()
    var last = TransferProgress()
    for await progress in call.progress { last = progress }
    print("uploaded: \(last.sent) of \(last.toSend ?? 0); \(try await call.value)")
    let (count, total) = received.withLock { ($0.received, $0.toReceive) }
    print("downloaded: \(count) of \(total ?? 0)")
}
