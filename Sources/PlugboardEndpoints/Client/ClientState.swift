import Synchronization

/// Settings of a client. A class, because copying the settings for each request would take longer.
final class ClientState: Sendable {
    let settings: ClientSettings

    init(_ settings: ClientSettings) { self.settings = settings }

    /// Whether hooks or a judge receive outcomes.
    var isJudged: Bool { !settings.responseHooks.isEmpty || settings.judge != nil }

    /// The method and URL of an endpoint's request, as far as they are known before it is made.
    func target<E: Endpoint>(of endpoint: E) -> CallTarget {
        let general = endpoint.usesCDN ? settings.cdn ?? settings.base : settings.base
        return CallTarget(
            method: endpoint.method, base: endpoint.base.isEmpty ? general : endpoint.base,
            prefix: endpoint.usesPathPrefix ? settings.pathPrefix : "", path: endpoint.path)
    }
}

/// The settings of a client that can change.
final class LatestClientState: Sendable {
    let state: Mutex<ClientState>

    init(_ first: ClientState) { state = Mutex(first) }
}
