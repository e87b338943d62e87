import PlugboardAuthentication
import PlugboardCache
import PlugboardCookies
import PlugboardCore
import PlugboardDecode
import PlugboardIndicator
import PlugboardLogging
import PlugboardQueue
import PlugboardRedirect
import PlugboardResume
import PlugboardRetry
import PlugboardValidator

extension Catalog {
    /// The bundled plugins, all of them.
    public static var bundled: Catalog {
        Catalog([
            loggingPlugin(), indicatorPlugin(), decodePlugin(), redirectPlugin(), authenticationPlugin(),
            cookiesPlugin(), cachePlugin(), queuePlugin(), resumePlugin(), retryPlugin(), validatorPlugin(),
        ])
    }
}
