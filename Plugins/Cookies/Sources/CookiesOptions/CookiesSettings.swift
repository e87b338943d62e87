import PlugboardKit

/// What configurations, and programs in code, say to the plugin `cookies`.
///
///     .cookies { $0.persistence = .memory }
public struct CookiesSettings: PluginSettings {
    @Setting("Where cookies are kept that outlive the session: file, or memory for nowhere.")
    public var persistence = Persistence.file
    @Setting("The file; none for cookies.sqlite in the plugin's data directory.")
    public var path: String? = nil
    @Setting("The jar of requests that name none.")
    public var jar = "default"
    @Setting("Cookies that one domain may have in a jar.", in: 1...10_000)
    public var domainLimit = 180
    @Setting("Cookies that one jar may hold.", in: 1...1_000_000)
    public var limit = 3000
    @Setting("Treats http to localhost and to loopback addresses as secure, as browsers do.")
    public var trustLoopback = false

    /// Where cookies are kept that outlive the session.
    public enum Persistence: String, WordOption { case file, memory }

    /// All settings at their defaults.
    public init() {}
}
