import PlugboardKit

/// The settings of the plugin `cookies`, for configurations and for programs in code.
///
///     .cookies { $0.persistence = .memory }
public struct CookiesSettings: PluginSettings {
    /// Where persistent cookies are stored: in a file, or in memory only.
    @Setting("Where persistent cookies are stored: in a file, or in memory only.")
    public var persistence = Persistence.file
    /// The file; a relative path starts at the configuration's folder. Without it, cookies.sqlite in the data
    /// directory.
    @Setting(
        "The file; a relative path starts at the configuration's folder. Without it, cookies.sqlite in the data directory."
    )
    public var path: String? = nil
    /// Where cookies of the session are stored: in memory (forget), or in the file too, for later processes (keep).
    @Setting(
        "Where cookies of the session are stored: in memory (forget), or in the file too, for later processes (keep).")
    public var sessionCookies = SessionCookies.forget
    /// The jar of requests that do not name one.
    @Setting("The jar of requests that do not name one.")
    public var jar = "default"
    /// The most cookies that a registrable domain may have in a jar.
    @Setting("The most cookies that a registrable domain may have in a jar.", in: 1...10_000)
    public var domainLimit = 180
    /// The most cookies that one jar may have.
    @Setting("The most cookies that one jar may have.", in: 1...1_000_000)
    public var limit = 3000
    /// Treats http to localhost and to loopback addresses as secure, as browsers do.
    @Setting("Treats http to localhost and to loopback addresses as secure, as browsers do.")
    public var trustLoopback = false
    /// Uses the same jar by every route: unverified, by a Unix socket, or where connectTo leads.
    @Setting("Uses the same jar by every route: unverified, by a Unix socket, or where connectTo leads.")
    public var acrossRoutes = false

    /// Where persistent cookies are stored.
    public enum Persistence: String, WordOption {
        /// Stored in a file.
        case file
        /// Kept in memory only.
        case memory
    }

    /// What happens to cookies without an expiry at the end of the process.
    public enum SessionCookies: String, WordOption {
        /// They are forgotten.
        case forget
        /// The file stores them, until they are removed or evicted.
        case keep
    }

    /// All settings at their defaults.
    public init() {}
}
