import PlugboardBorder
import PlugboardJSON

/// The plugins that will run, in their order, according to a configuration and the plugins of the program.
package struct ResolvedPlugins: Sendable {
    /// The plugins, outermost first.
    package let plugins: [EnabledPlugin]
    /// Available plugins that do not run: those that the configuration switches off, and linked ones that it does
    /// not name.
    package let absent: [AbsentPlugin]
    /// Warnings about the configuration, each a sentence without a full stop.
    package let warnings: [String]
    /// The full names of attributes that the tables of absent plugins mark as secret, if those tables are
    /// known.
    let absentSecrets: Set<String>
    let services: ServiceGraph

    /// Opens the files that the configuration names, and checks everything that it says about plugins.
    ///
    /// - Parameter loader: Opens files; nil in a program that is built without one. If a file ends the process
    ///   meanwhile, the next start reports it (`CrashNote`).
    /// - Throws: One error that lists all errors of the text and of the plugins: `plugin.order` for a cycle,
    ///   the loader's code for a file that is refused, else `configuration`.
    package init(
        _ configuration: Configuration, catalog: Catalog, loader: (any PluginFileLoader)? = nil
    ) throws(PlugboardError) {
        let check = ResolvedPlugins.check(configuration, catalog: catalog, loader: loader)
        guard let resolved = check.resolved, configuration.readingErrors.isEmpty else {
            throw PlugboardError(configuration.readingErrors + check.errors)
        }
        self = resolved
    }

    /// The plugins, or the errors.
    package struct Check: Sendable {
        /// Nil if there are errors.
        package var resolved: ResolvedPlugins? { errors.isEmpty ? readable : nil }
        private let readable: ResolvedPlugins
        /// The errors: at most the first hundred.
        package let errors: [ConfigurationError]
        /// The plugins whose own entries have no errors.
        let sound: [EnabledPlugin]

        fileprivate init(readable: ResolvedPlugins, errors: [ConfigurationError], sound: [EnabledPlugin]) {
            self.readable = readable
            self.errors = errors
            self.sound = sound
        }
    }

    /// Resolves the plugins as `init` does, but returns the errors.
    package static func check(
        _ configuration: Configuration, catalog: Catalog, loader: (any PluginFileLoader)? = nil
    ) -> Check {
        let catalog = catalog.replacing(with: configuration.plugins)
        var assembly = PluginResolver(configuration, catalog: catalog, loader: loader)
        assembly.checkCatalog()
        let plugins = assembly.plugins()
        assembly.checkCount(plugins.count)
        assembly.checkServices(plugins)
        assembly.checkOrigins()
        assembly.checkFolders()
        assembly.checkInterface()
        let errors = assembly.reading.errors
        let absent = configuration.absent(from: catalog, beside: plugins)
        let resolved = ResolvedPlugins(
            plugins: plugins, absent: absent, warnings: assembly.warnings,
            absentSecrets: Set(
                absent.compactMap { $0.id.flatMap { catalog.descriptor($0) } }.flatMap(\.secretAttributes)))
        return Check(readable: resolved, errors: errors, sound: plugins.filter { assembly.isSound($0) })
    }

    init(plugins: [EnabledPlugin], absent: [AbsentPlugin], warnings: [String], absentSecrets: Set<String> = []) {
        self.plugins = plugins
        self.absent = absent
        self.warnings = warnings
        self.absentSecrets = absentSecrets
        services = ServiceGraph(plugins.map(\.descriptor))
    }
}
