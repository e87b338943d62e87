import PlugboardEndpoints

/// The definition names the type of the response: here an array of `Topic`.
func listTopics(_ api: Client) async {
    await api.call("TopicList", ["board": "swift & linux"])
        .onSuccess { response in
            let topics: [Topic] = response.model() ?? []
            print("topics: \(topics.map(\.title))")
        }
        .onFailure { print("failed: \($0)") }
        .onCompletion { _ in print("the list is complete") }
        .onFinished { print("the list has \($0)") }
        .ended()
}

/// The program makes its own value of each topic in the list.
func listHeadlines(_ api: Client) async {
    await api.call("Headlines", ["board": "swift & linux"])
        .onSuccess { response in
            let headlines: [Headline] = response.model() ?? []
            print("headlines: \(headlines.map(\.text))")
        }
        .onFailure { print("failed: \($0)") }
        .ended()
}

/// A definition of the program's code.
func dropTopic(_ api: Client) async {
    await api.call("DropTopic", ["id": 7])
        .onSuccess { print("dropped: \($0.status)") }
        .onFailure { print("failed: \($0)") }
        .ended()
}

/// Sends any method, below the base, the CDN, another server, or to a full URL.
func sendAny(_ api: Client, _ server: String) async throws {
    var weather = Definition("Weather", path: "said")
    weather.base = "\(server)/weather"
    api.update { $0.definitions.add(weather) }
    api.update { $0.definitions.add(Definition("Full", path: "\(server)/full/said")) }
    for name in ["Exists", "Edit", "Report", "Weather", "Full"] {
        print("\(name): \(try await api.send(name).response["X-Said"] ?? "none")")
    }
    print("Picture: \(try await api.send("Picture", ["name": "a lake"]).response.text)")
}

/// The definition has credentials, no cookies, a tag, a category and user info; the call can override them.
func showAccount(_ api: Client, _ server: String) async throws {
    try await api.kernel.cookies.set("session=7; Path=/", for: server)
    let call = api.call("Account")
    let account = try await call.value.response
    print("account: \(try account.text)")
    print("labels: \(call.tag ?? ""), \(call.category ?? ""), \(call.userInfo["screen"] as? String ?? "")")
    print("guest: \(try await api.send("Guest").response.text)")
    await api.call("Hasty").onFailure { print("hasty: \($0.code)") }.ended()
}

/// The server has provided this definition.
func listNews(_ api: Client) async {
    await api.call("News")
        .onSuccess { print("news: \($0.json?["count"]?.numberValue?.integer(Int.self) ?? 0)") }
        .onFailure { print("failed: \($0)") }
        .ended()
}

/// The definition requires authorization, and expects no content.
func postReply(_ api: Client) async {
    await api.call("PostReply", ["id": 7, "text": "schön & gut"])
        .onSuccess { print("replied: \($0.status)") }
        .onFailure { print("failed: \($0)") }
        .ended()
}

/// Finds and cancels calls by the names that definitions or calls give them. A cancellation is not a failure.
func cancelGroup(_ api: Client) async {
    let calls = [1, 2].map { number in
        api.call("SlowTopic", ["id": number])
            .onFailure { _ in print("never printed") }
            .onFinished { print("slow topic \(number) has \($0)") }
    }
    print("in the group: \(api.calls.find(.group("slow")).count), general user info: \(calls[0].userInfo.count)")
    api.calls.cancel(.group("slow"))
    for call in calls { await call.ended() }
}

/// The judge ignores a response: the call ends, and no callback is called.
func ignore(_ api: Client) async {
    let call = api.call("Unread")
        .onCompletion { _ in print("never printed") }
        .onFinished { _ in print("never printed") }
    await call.ended()
    print("unread: \(call.state)")
}

/// The message of an error is for people, in their language; its code is for programs.
func reportFailures(_ api: Client) async {
    let call = api.call("Topic", ["id": 404])
    await call.ended()
    if let error = call.error {
        print("\(error.code): \(call.message(for: error))")
    }
    await api.call("Topics").onFailure { print($0.reason) }.ended()
}

/// The central handler receives every error first, and can stop it: then no callback of a failure is called.
func reportLogout(_ api: Client) async {
    await api.call("Topic", ["id": 401])
        .onFailure { _ in print("never printed") }
        .onFinished { print("topic has \($0)") }
        .ended()
}

/// During development, a request can be delayed, or fail without being sent.
func debug(_ api: Client) async {
    await api.call("News", debug: DebugBehavior(delay: .milliseconds(50)))
        .onSuccess { print("delayed: \($0.status)") }
        .ended()
    let failure = PlugboardError(.timeoutConnect, "Simulated.")
    let behavior = DebugBehavior(delay: .milliseconds(50), failure: failure)
    await api.call(api.endpoint("Unread"), debug: behavior)
        .onFailure { print("debug: \($0.code): \($0.reason)") }
        .ended()
}
