// Plugins that a program's code gives its kernel: types, instances, closures and files.
extension PluginEntry {
    /// A plugin of this type, which the kernel makes, with the settings that the closure assigns.
    ///
    ///     .linked(UserAgent.self) { $0.product = "acme/2.0" }
    ///
    /// The settings that are not assigned have their defaults; the kernel checks all of them as it checks those of a
    /// file.
    @inlinable
    public static func linked<P: Plugin>(
        _ type: P.Type, _ assign: (inout P.Settings) -> Void = { _ in }
    ) -> PluginEntry {
        PluginEntry(linkedDescriptor(of: type), assigning: assign)
    }

    /// An instance of the program's own, which may hold what no configuration can say: a key store, a metrics registry,
    /// an actor.
    ///
    ///     .linked(Sign(keys))
    ///
    /// The kernel calls `start` and `stop` once each and releases the instance when it has ended; each kernel that is
    /// given the entry uses the same instance. An instance that needs the kernel (`PluginHost`) or settings is made by
    /// a closure: `linked(_:assigning:)`.
    ///
    /// - Parameter manifest: The plugin's description of itself; give another one for another instance of this type.
    @inlinable
    public static func linked<P: PluginInstance>(
        _ instance: P, manifest: Manifest = P.manifest
    ) -> PluginEntry where P.Settings == NoSettings {
        linked(manifest: manifest) { _, _ in instance }
    }

    /// Instances of the program's own, which also need the kernel or settings.
    ///
    ///     .linked { settings, host in Sign(keys, settings, host) } assigning: { $0.field = "x-signature" }
    ///
    /// - Parameters:
    ///   - manifest: The plugin's description of itself; give another one for a second instance of the same type.
    ///   - make: Called once for each kernel, and for each check of a configuration that has errors. An error refuses
    ///     the settings with its description. Of the host, only log, clocks, random, counters and the data directory
    ///     work here.
    ///   - assign: Assigns settings that differ from their defaults.
    @inlinable
    public static func linked<P: PluginInstance>(
        manifest: Manifest = P.manifest, _ make: @escaping @Sendable (P.Settings, PluginHost) throws -> P,
        assigning assign: (inout P.Settings) -> Void = { _ in }
    ) -> PluginEntry {
        PluginEntry(
            LinkedDescriptor(manifest, P.Settings.self) { Instance(try make($0, $1), host: $1) }, assigning: assign)
    }

    /// The plugin in a shared object, with settings in the type that its module of options has.
    ///
    ///     .loaded("plugins/libplugboard-cache.so", CacheSettings.self) { $0.disk = .gibibytes(1) }
    ///
    /// - Parameters:
    ///   - path: A path with a `/`, or a file name that is looked for in `kernel.pluginFolders`.
    ///   - sha256: The file's SHA-256 in hexadecimal; another file is refused.
    public static func loaded<Settings: PluginSettings>(
        _ path: String, sha256: String? = nil, _: Settings.Type, _ assign: (inout Settings) -> Void
    ) -> PluginEntry {
        PluginEntry(id: nil, path: path, sha256: sha256, settings: Settings.given(by: assign))
    }

    @usableFromInline
    init<Settings: PluginSettings>(_ linked: LinkedDescriptor, assigning assign: (inout Settings) -> Void) {
        self.init(linked, settings: Settings.given(by: assign))
    }
}

extension PluginSettings {
    /// The settings that a closure assigns, as a configuration would write them.
    fileprivate static func given(by assign: (inout Self) -> Void) -> JSONObject {
        var settings = Self()
        assign(&settings)
        return settings.given
    }
}
