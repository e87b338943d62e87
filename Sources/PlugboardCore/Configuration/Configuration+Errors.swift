import JSON
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Configuration {
    /// All errors with which a start would refuse this configuration, in the order of its text; empty if there are
    /// none.
    ///
    /// Reports the errors of the text, of the kernel's settings and the files that they name, of the plugins, their
    /// settings and their order, and of the attributes of origins. Only plugins know whether settings and attributes
    /// make sense together, so each is created, asked and destroyed, without being started, with a data directory of
    /// the check's own; what is wrong with other parts of the system only a start finds. Blocks.
    public func errors(catalog: Catalog = Catalog(), loader: (any Loader)? = nil) -> [ConfigurationError] {
        errors(Lineup.check(self, catalog: catalog, loader: loader))
    }

    func errors(_ check: Lineup.Check) -> [ConfigurationError] {
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
        for (option, path) in [
            ("caFile", kernel.caFile), ("clientCertificate", kernel.clientCertificate), ("clientKey", kernel.clientKey),
        ] {
            guard let path, let cause = Configuration.refusal(ofFile: path) else { continue }
            reading.note(Configuration.location(of: option), "names \(printable(path)), which cannot be read: \(cause)")
        }
        return reading.errors
    }

    /// The path of an origin's section.
    func location(of origin: Origin) -> JSONPath {
        ["origins", .key(source?.originKeys[origin] ?? origin.description)]
    }

    /// The path of an option of requests.
    private static func location(of option: String) -> JSONPath {
        switch option {
        case "caFile": ["kernel", "tls", "ca"]
        case "clientCertificate": ["kernel", "tls", "certificate"]
        case "clientKey": ["kernel", "tls", "key"]
        case "pins": ["kernel", "tls", "pins"]
        case "downloadSpeedLimit": ["kernel", "speed", "download"]
        case "uploadSpeedLimit": ["kernel", "speed", "upload"]
        default: ["kernel", .key(option)]
        }
    }

    /// Why the file cannot be read, or nil.
    private static func refusal(ofFile path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return String(cString: strerror(errno)) }
        return status.st_mode & S_IFMT == S_IFDIR ? String(cString: strerror(EISDIR)) : nil
    }
}
