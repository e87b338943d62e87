import PlugboardAuthentication
import PlugboardCache
import PlugboardCookies
import PlugboardCore
import PlugboardDecode
import PlugboardIndicator
import PlugboardLimit
import PlugboardLogging
import PlugboardMock
import PlugboardQueue
import PlugboardRecorder
import PlugboardRedirect
import PlugboardResume
import PlugboardRetry
import PlugboardTelemetry
import PlugboardValidator

extension Catalog {
    /// The bundled plugins, all of them.
    public static var bundled: Catalog {
        Catalog([
            loggingPlugin(), indicatorPlugin(), recorderPlugin(), telemetryPlugin(), mockPlugin(), decodePlugin(),
            redirectPlugin(),
            authenticationPlugin(),
            cookiesPlugin(), cachePlugin(), queuePlugin(), limitPlugin(), resumePlugin(), retryPlugin(),
            validatorPlugin(),
        ])
    }
}
