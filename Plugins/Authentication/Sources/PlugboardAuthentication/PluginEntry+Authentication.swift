@_exported import PlugboardAuthenticationOptions
import PlugboardKit

extension PluginEntry {
    /// The plugin `authentication`, linked into the program, with the default settings.
    public static var authentication: PluginEntry { .linked(Authentication.self) }

    /// The plugin `authentication`, linked into the program, with the settings that the closure assigns.
    ///
    /// The other settings have their defaults.
    public static func authentication(_ assign: (inout AuthenticationSettings) -> Void) -> PluginEntry {
        .linked(Authentication.self, assign)
    }

    /// The plugin `authentication`, linked into the program, with closures that fetch tokens in the program's own way.
    ///
    ///     .authentication(tokenProviders: [
    ///         "account": { AccessToken(try await account.refresh(), lifetime: .seconds(3600)) }
    ///     ])
    ///
    /// The attribute `authentication.tokenProvider` of an origin or a request (`request.authentication.bearer(from:
    /// "account")`) names the closure. It is called when a token is needed first, when it is about to end, and when a
    /// server has rejected it: in a task, once for all exchanges that wait. It is cancelled after the setting
    /// `timeout`; its error fails these exchanges with `authentication.refresh`. A request that it sends to such an
    /// origin needs `request.authentication.isEnabled = false`.
    public static func authentication(
        tokenProviders: [String: TokenProvider], _ assign: (inout AuthenticationSettings) -> Void = { _ in }
    ) -> PluginEntry {
        .linked(
            { settings, host in try Authentication(settings: settings, host: host, providers: tokenProviders) },
            assigning: assign)
    }
}
