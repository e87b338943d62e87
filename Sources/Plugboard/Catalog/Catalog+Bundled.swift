import CPlugboard

#if Authentication
    import AuthenticationPlugin
#endif
#if Cache
    import CachePlugin
#endif
#if Cookies
    import CookiesPlugin
#endif
#if Decode
    import DecodePlugin
#endif
#if Logging
    import LoggingPlugin
#endif
#if Redirect
    import RedirectPlugin
#endif
#if Retry
    import RetryPlugin
#endif

extension Catalog {
    /// The bundled plugins that this build links; package traits choose them.
    public static var bundled: Catalog {
        var linked: [UnsafePointer<plug_plugin_v1>] = []
        #if Logging
            linked.append(loggingPlugin())
        #endif
        #if Decode
            linked.append(decodePlugin())
        #endif
        #if Redirect
            linked.append(redirectPlugin())
        #endif
        #if Authentication
            linked.append(authenticationPlugin())
        #endif
        #if Cookies
            linked.append(cookiesPlugin())
        #endif
        #if Cache
            linked.append(cachePlugin())
        #endif
        #if Retry
            linked.append(retryPlugin())
        #endif
        return Catalog(linked)
    }
}
