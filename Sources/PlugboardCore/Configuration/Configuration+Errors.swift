import PlugboardBorder
import PlugboardJSON

extension Configuration {
    /// All errors with which a start would refuse this configuration, in the order of its text; empty if there are
    /// none.
    ///
    /// Reports the errors of the text, of the kernel's settings and the files that they name, of the plugins, their
    /// settings and their order, and of the attributes of origins. Only plugins know whether settings and attributes
    /// make sense together, so each is created, asked and destroyed, without being started, with a data directory of
    /// the check; only a start finds errors of other parts of the system. Blocks.
    public func errors(catalog: Catalog = Catalog(), loader: (any PluginFileLoader)? = nil) -> [ConfigurationError] {
        errors(ResolvedPlugins.check(self, catalog: catalog, loader: loader))
    }

    func errors(_ check: ResolvedPlugins.Check) -> [ConfigurationError] {
        var errors = ownErrors
        // Where both the text and a plugin report an error at the same path, only that of the text is kept.
        let locations = Set(errors.map(\.path))
        let refused = TrialCreation.errors(of: check.sound, self, beside: errors + check.errors)
        errors += (check.errors + refused).filter { !locations.contains($0.path) }
        return errors.sorted { ($0.line ?? 0, $0.column ?? 0) < ($1.line ?? 0, $1.column ?? 0) }
    }

    /// The errors of the text and of the kernel's settings.
    var ownErrors: [ConfigurationError] { readingErrors + kernelErrors }

    private var kernelErrors: [ConfigurationError] {
        var reading = ConfigurationReading(source: source)
        for error in kernel.defaults.invalidOptions {
            let location = Configuration.location(of: error.option)
            reading.note(
                error.key.map { location.appending(.key($0)) } ?? location, error.reason, atKey: error.key != nil)
        }
        for (host, pins) in kernel.pins.sorted(by: { $0.key < $1.key })
        where pins.isEmpty || !pins.allSatisfy({ RequestOptions.isPin($0) }) {
            reading.note(["kernel", "tls", "pins", .key(host)], "must be a list of \(RequestOptions.pinForm)")
        }
        for (host, reason) in kernel.errorsOfPinnedHosts {
            reading.note(["kernel", "tls", "pins", .key(host)], reason, atKey: true)
        }
        if let baseURL = kernel.baseURL, !KernelSettings.isBaseURL(baseURL) {
            reading.note(["kernel", "baseURL"], "must be an absolute URL of http or https, without a user")
        }
        for (name, reason) in kernel.errorsOfHeaders {
            reading.note(["kernel", "headers", .key(name)], reason, atKey: true)
        }
        if kernel.connections < 0 { reading.note(["kernel", "connections"], "must not be negative") }
        if kernel.connectionsPerHost < 0 { reading.note(["kernel", "connectionsPerHost"], "must not be negative") }
        if kernel.attemptLimit < 1 { reading.note(["kernel", "attemptLimit"], "must be at least 1") }
        if kernel.bufferLimit.bytes < 1 { reading.note(["kernel", "bufferLimit"], "must be at least 1B") }
        for (option, error) in kernel.defaults.errorsOfFiles {
            reading.note(Configuration.location(of: option), error)
        }
        return reading.errors
    }

    /// The path of an origin's section.
    func location(of origin: Origin) -> JSONPath {
        ["origins", .key(source?.originKeys[origin] ?? origin.description)]
    }

    /// The path of an option of requests.
    private static func location(of option: String) -> JSONPath {
        option.split(separator: ".").reduce(["kernel"]) { $0.appending(.key(String($1))) }
    }
}
