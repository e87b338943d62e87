import PlugboardCookies
import PlugboardCore
import PlugboardDecode
import PlugboardRedirect
import PlugboardRetry

extension [PluginEntry] {
    /// What most programs expect of a client: bodies are decoded, redirects followed, cookies kept in memory, and
    /// failed requests that may be repeated are sent again.
    ///
    ///     let kernel = try Kernel(plugins: .everyday)
    ///     let cached = try Kernel(plugins: .everyday + [.cache])
    public static var everyday: [PluginEntry] {
        [.decode, .redirect, .cookies { $0.persistence = .memory }, .retry]
    }
}
