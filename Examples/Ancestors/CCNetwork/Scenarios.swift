import PlugboardEndpoints

/// The second request needs the response of the first.
func registerAndFetch(_ client: Client) async throws -> User {
    let account = try await client.send(Register(name: "ada", password: "lovelace & co"))
    let user = try await client.send(FetchUser(token: account.token))
    print("user \(user.id): \(user.name)")
    return user
}

/// Sends requests of different types together; their values are a tuple.
func loadTogether(_ client: Client, _ user: User) async throws {
    let (friends, photos) = try await client.batch(Friends(user: user.id), Photos(user: user.id))
    print("batch: \(friends.count) friends, \(photos.count) photos")
}

/// Reads the number of bytes sent so far as a sequence; `onProgress` reports the same to a callback.
func upload(_ client: Client, _ user: User, _ file: String) async throws {
    let call = client.call(UploadAvatar(user: user.id, file: file))
    for await progress in call.progress where progress.sent == progress.toSend {
        print("sent: \(progress.sent) of \(progress.toSend ?? 0) bytes")
        break
    }
    print("avatar: \(try await call.value.url)")
}

/// A request made by hand, for what an endpoint cannot express.
func sendCustom(_ client: Client, _ server: String) async throws {
    print("status: \(try await client.send(Status(server: server)))")
}

/// The first poll gets messages. The second gets nothing new and is ignored: no callback runs. The third is refused.
func poll(_ client: Client) async {
    for number in 1...3 {
        let call = client.call(Messages())
            .onSuccess { print("poll \(number): \($0)") }
            .onFailure { print("poll \(number): \($0.reason)") }
            .onFinished { print("poll \(number) has \($0)") }
        await call.ended()
        if call.state == .ignored { print("poll \(number) was ignored") }
    }
}

/// The judge makes one response a failure, and the central handler stops the error of another.
func judge(_ client: Client) async {
    for path in ["limited", "logout"] {
        await client.call(SimpleEndpoint(path, as: String.self))
            .onSuccess { _ in print("never printed") }
            .onFailure { print("\(path): \($0.reason)") }
            .onFinished { print("\(path) has \($0)") }
            .ended()
    }
}
