import Synchronization

/// Settings of a client, with the values that are derived from them once.
final class ClientState: Sendable {
    let settings: ClientSettings
    /// The base and the CDN, with the prefix.
    let base: EndpointURL.Base?
    let cdn: EndpointURL.Base?
    /// Whether hooks or a judge receive outcomes.
    let isJudged: Bool

    init(_ settings: ClientSettings) {
        self.settings = settings
        base = settings.base.map { EndpointURL.Base($0, settings.pathPrefix) }
        cdn = settings.cdn.map { EndpointURL.Base($0, settings.pathPrefix) }
        isJudged = !settings.responseHooks.isEmpty || settings.judge != nil
    }
}

/// The settings of a client that can change.
final class LatestClientState: Sendable {
    let state: Mutex<ClientState>

    init(_ first: ClientState) { state = Mutex(first) }
}
