import CPlugboard

#if Decode
    import DecodePlugin
#endif
#if Logging
    import LoggingPlugin
#endif
#if Redirect
    import RedirectPlugin
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
        return Catalog(linked)
    }
}
