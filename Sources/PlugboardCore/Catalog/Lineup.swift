import JSON
import PlugboardKit

/// The plugins that will run, in their order: the result of a configuration in a program with these plugins.
public struct Lineup: Sendable {
    /// From the outermost to the innermost.
    public let plugins: [EnabledPlugin]
    /// Plugins that exist but do not run: those that the configuration switches off, and linked ones that it does
    /// not name.
    public let absent: [AbsentPlugin]
    /// Warnings about what the configuration may say but probably does not mean; each a sentence without a full stop.
    public let warnings: [String]
    /// The whole names of attributes that the tables of absent plugins flag as secret, as far as those tables are
    /// known.
    let absentSecrets: Set<String>

    /// Opens the files that the configuration names, and checks all it says of plugins.
    ///
    /// - Parameter loader: Opens files; nil in a program that is built without. If a file ends the process
    ///   meanwhile, the next start says so (`CrashNotes`).
    /// - Throws: One error that lists all errors of the text and of the plugins: `plugins.order` for a cycle,
    ///   the loader's for a file that is refused, else `configuration`.
    public init(
        _ configuration: Configuration, catalog: Catalog, loader: (any Loader)? = nil
    ) throws(PlugboardError) {
        let check = Lineup.check(configuration, catalog: catalog, loader: loader)
        guard let lineup = check.lineup, configuration.readingErrors.isEmpty else {
            throw PlugboardError(configuration.readingErrors + check.errors)
        }
        self = lineup
    }

    /// A lineup, or the errors of its configuration.
    public struct Check: Sendable {
        /// Nil if there are errors.
        public var lineup: Lineup? { errors.isEmpty ? readable : nil }
        private let readable: Lineup
        /// Of more than a hundred the first hundred.
        public let errors: [ConfigurationError]
        /// The plugins whose own entries have no errors.
        let sound: [EnabledPlugin]

        fileprivate init(readable: Lineup, errors: [ConfigurationError], sound: [EnabledPlugin]) {
            self.readable = readable
            self.errors = errors
            self.sound = sound
        }
    }

    /// Like `init`, with the errors as values.
    public static func check(
        _ configuration: Configuration, catalog: Catalog, loader: (any Loader)? = nil
    ) -> Check {
        let loader = loader.map { CrashNotes(configuration).noting($0) }
        let catalog = catalog.replacing(with: configuration.plugins)
        var assembly = LineupAssembly(configuration, catalog: catalog, loader: loader)
        assembly.checkCatalog()
        let plugins = assembly.plugins()
        assembly.checkCount(plugins.count)
        assembly.checkOrigins()
        assembly.checkFolders()
        let errors = assembly.reading.errors
        let absent = configuration.absent(from: catalog, beside: plugins)
        let lineup = Lineup(
            plugins: plugins, absent: absent, warnings: assembly.warnings,
            absentSecrets: Set(
                absent.compactMap { $0.id.flatMap { catalog.descriptor($0) } }.flatMap(\.secretAttributes)))
        return Check(readable: lineup, errors: errors, sound: plugins.filter { assembly.isSound($0) })
    }

    init(plugins: [EnabledPlugin], absent: [AbsentPlugin], warnings: [String], absentSecrets: Set<String> = []) {
        self.plugins = plugins
        self.absent = absent
        self.warnings = warnings
        self.absentSecrets = absentSecrets
    }
}
