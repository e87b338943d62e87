import PlugboardEndpoints

/// The second response comes from the cache: the server receives only one request.
func readNews(_ client: Client) async throws {
    let first = try await client.send(News(page: 1))
    let second = try await client.send(News(page: 1))
    print("news: \(first.map(\.title)), again \(second.count)")
}

/// Downloads a file from the CDN. The plugin resume continues after a connection has broken.
func download(_ client: Client, to folder: String) async throws {
    let file = try await client.send(Image(name: "logo.png", folder: folder))
    print("downloaded: \(file.byteCount) bytes")
}

/// A response without a required member is a failure.
func checkShapes(_ client: Client) async throws {
    let user = try await client.send(UserInfo(userId: 1))
    print("user: \(user.nick), level \(user.level)")
    do throws(PlugboardError) {
        _ = try await client.send(UserInfo(userId: 2))
    } catch {
        print("refused: \(error.code): \(error.reason)")
    }
    // JSON Schema can express more than a shape.
    var newcomer = SimpleEndpoint("users/1", as: User.self)
    newcomer.validation = .schema(["properties": ["level": ["maximum": 0]]])
    do throws(PlugboardError) {
        print("newcomer: \(try await client.send(newcomer).nick)")
    } catch {
        print("no newcomer: \(error.code)")
    }
}

/// A delegate instead of callbacks, which the call holds weakly.
final class Reader: CallDelegate {
    func call(_ call: any AnyCall, didSucceed value: any Sendable) { print("reader: \(value)") }
    func call(_ call: any AnyCall, didFail error: PlugboardError) { print("reader: \(error.code)") }
}

func useDelegate(_ client: Client) async {
    let reader = Reader()
    for path in ["themes/text", "missing"] {
        await client.call(SimpleEndpoint(path, as: String.self)).delegate(reader).ended()
    }
    withExtendedLifetime(reader) {}
}

/// Receives the events of a running request of any type, and shows or hides a message.
final class LoadingMessage: CallDelegate {
    private let text: String

    init(_ text: String) {
        self.text = text
        print("show: \(text)")
    }

    func callDidFinish(_ call: any AnyCall) { print("hide: \(text)") }
}

/// The message is shown before the request starts, and hidden when it has ended with any outcome.
func showLoadingMessage(_ client: Client) async {
    let message = LoadingMessage("Loading news…")
    let call = client.call(News(page: 2))
        .delegate(message)
        .onSuccess { print("loaded: \($0.count)") }
        .onFailure { print("failed: \($0.code)") }
    await call.ended()
    withExtendedLifetime(message) {}  // a call holds its delegate weakly
}
