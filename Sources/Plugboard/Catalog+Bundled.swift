import AuthenticationPlugin
import CachePlugin
import CookiesPlugin
import DecodePlugin
import LoggingPlugin
import PlugboardCore
import RedirectPlugin
import RetryPlugin

extension Catalog {
    /// The bundled plugins, all of them.
    public static var bundled: Catalog {
        Catalog([
            loggingPlugin(), decodePlugin(), redirectPlugin(), authenticationPlugin(), cookiesPlugin(), cachePlugin(),
            retryPlugin(),
        ])
    }
}
