import ArgumentParser
import Plugboard

/// Options with curl's names and meanings for requests of all verbs. Those that need a plugin enable it for this run.
struct CurlArguments: ParsableArguments {
    @Flag(name: [.customShort("L"), .long], help: "Follows redirects, with the plugin redirect.") var location = false
    @Flag(help: "Follows redirects, and sends credentials and cookies of the command line to all hosts.")
    var locationTrusted = false
    @Option(
        name: .customLong("max-redirs"), parsing: .unconditional,
        help: ArgumentHelp("The most redirects that --location follows.", valueName: "number"))
    var redirectLimit: Int?
    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "Authenticates with a name and a password (basic), which redirects to other origins do not get. A password "
                + "that is left out is asked for.", valueName: "user:password"))
    var user: String?
    @Flag(help: "Has no effect: --user always uses basic.") var basic = false
    @Option(
        name: .customLong("oauth2-bearer"), parsing: .unconditional,
        help: ArgumentHelp("Authenticates with a bearer token.", valueName: "token"))
    var bearer: String?
    @Flag(name: .shortAndLong, help: "Takes name and password for the host from ~/.netrc.") var netrc = false
    @Option(
        parsing: .unconditional, help: ArgumentHelp("Takes name and password from this file.", valueName: "file"),
        completion: .file())
    var netrcFile: String?
    @Flag(help: "Takes name and password from ~/.netrc if it has them.") var netrcOptional = false
    @Option(
        name: [.customShort("A"), .long], parsing: .unconditional,
        help: ArgumentHelp("The field User-Agent; '' sends none.", valueName: "name"))
    var userAgent: String?
    @Option(
        name: [.customShort("e"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "The field Referer. With ;auto at its end, requests after redirects send the URL before them.",
            valueName: "url"))
    var referer: String?
    @Flag(help: "Asks for a compressed response and decodes it, with the plugin decode.") var compressed = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sends a failed request up to this many times again, with the plugin retry: after time-outs, after failures of "
                + "DNS, and after 408, 429, 500, 502, 503 and 504, whatever the method.", valueName: "number"))
    var retry: Int?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The delay before each repetition; without it, one second that doubles.", valueName: "1s"))
    var retryDelay: String?
    @Option(parsing: .unconditional, help: ArgumentHelp("The time in which repetitions may begin.", valueName: "60s"))
    var retryMaxTime: String?
    @Flag(help: "Repeats after all failures and statuses of errors.") var retryAllErrors = false
    @Flag(name: .customLong("retry-connrefused"), help: "Repeats also when no connection can be made.")
    var retryRefused = false

    func validate() throws {
        if redirectLimit ?? 0 < -1 { throw ValidationError("--max-redirs must be 0 or more, or -1 for no limit.") }
        if retry ?? 0 < 0 { throw ValidationError("--retry must be 0 or more.") }
        if user != nil && bearer != nil { throw ValidationError("Give --user or --oauth2-bearer, not both.") }
    }

    // MARK: Plugins

    /// Enables the plugins that the options need.
    func enable(in configuration: inout Configuration) throws(CommandFailure) {
        if follows { try configuration.switchOn("redirect", for: "--location") }
        if follows, referer.map({ CurlArguments.referer($0).isAutomatic }) ?? false {
            configuration.plugins.append(.linked(AutomaticReferer()))
        }
        if compressed { try configuration.switchOn("decode", for: "--compressed") }
        if repetitions > 0 {
            try configuration.switchOn("retry", for: "--retry")
            // The delays are exact, and the repetitions as many as are asked for.
            for index in configuration.plugins.indices where configuration.plugins[index].id == "retry" {
                configuration.plugins[index].settings["jitter"] = false
                configuration.plugins[index].settings["budget"] = false
            }
        }
        // Redirects and the repetitions of each are no runaway; the usual number is left for other plugins.
        configuration.kernel.attemptLimit += (redirects + 1) * (repetitions + 1) - 1
        if !locationTrusted, user != nil || bearer != nil {
            try configuration.switchOn("authentication", for: user == nil ? "--oauth2-bearer" : "--user")
        }
    }

    private var follows: Bool { location || locationTrusted }
    /// The most redirects that are followed.
    private var redirects: Int {
        guard follows else { return 0 }
        let limit = redirectLimit ?? CurlArguments.usualRedirectLimit
        return limit < 0 ? CurlArguments.highestLimit : min(limit, CurlArguments.highestLimit)
    }
    /// The most repetitions of each request.
    private var repetitions: Int { min(max(retry ?? 0, 0), CurlArguments.highestRetry) }
    /// Whether failed requests are sent again.
    var repeats: Bool { repetitions > 0 }

    // MARK: The request

    /// The fields of these options, which `-H` replaces.
    var fields: [FieldArgument] {
        let referer = referer.map { CurlArguments.referer($0).first }
        return [("User-Agent", userAgent), ("Referer", referer)].compactMap { name, value in
            value.map { FieldArgument(name: FieldName(name), value: $0.isEmpty ? nil : $0) }
        }
    }

    /// The argument of `--referer`: what the first request sends, empty for no field, and whether a request that
    /// follows a redirect sends the URL before it.
    static func referer(_ text: String) -> (first: String, isAutomatic: Bool) {
        let isAutomatic = text.hasSuffix(";auto")
        return (isAutomatic ? String(text.dropLast(5)) : text, isAutomatic)
    }

    /// Tells the plugins what the options say.
    func addAttributes(to request: inout Request) throws(CommandFailure) {
        if follows { request.redirect.limit = redirects }
        if repetitions > 0 { try addRetry(to: &request) }
        if locationTrusted {
            // The plugin authentication would give them to the first origin alone.
            var group = CurlGroup()
            group.values = ["user": user, "oauth2-bearer": bearer].compactMapValues { $0 }
            return try addAuthorization(of: group, to: &request)
        }
        if let bearer { request.authentication.bearer(bearer) }
        if let user {
            let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let password =
                parts.count > 1 ? parts[1] : try SecretPrompt.ask("Password for \(Printable.text(parts[0])): ")
            request.authentication.basic(user: parts[0], password: password)
        }
    }

    /// Adds name and password of the URL, or of the host from the file `.netrc`, unless the request has others.
    ///
    /// - Parameter user: The user and password of the URL, which is without them.
    func addLogin(to request: inout Request, inURL user: String?) throws(CommandFailure) {
        guard user != nil || netrc || netrcOptional || netrcFile != nil, !request.fields.contains(.authorization),
            !request.attributes.values.keys.contains(where: { $0.hasPrefix("authentication.") })
        else { return }
        var group = CurlGroup()
        group.values["netrc-file"] = netrcFile
        group.flags = ["netrc": netrc, "netrc-optional": netrcOptional]
        try addAuthorization(of: group, inURL: user, to: &request)
    }

    private func addAuthorization(
        of group: CurlGroup, inURL user: String? = nil, to request: inout Request
    ) throws(CommandFailure) {
        let host = String(URLParts(request.url)?.host ?? "")
        if let value = try CurlCredentials.field(of: group, host: host, inURL: user) {
            request.fields.append(.authorization, value)
        }
    }

    /// What `--compressed` asks for where the plugin decode does not.
    static let codings = "deflate, gzip, br, zstd"
    private static let usualRedirectLimit = 50
    /// The most redirects that the plugin redirect follows, and the most repetitions of the plugin retry.
    private static let (highestLimit, highestRetry) = (1000, 99)
    /// What curl calls transient.
    private static let transientStatuses = ["408", "429", "500", "502", "503", "504"]
    private static let transientFailures: Set<PlugboardError.Code> = [
        .timeoutAttempt, .timeoutConnect, .timeoutIdle, .transportDNS,
    ]

    private func addRetry(to request: inout Request) throws(CommandFailure) {
        request.retry.attempts = repetitions + 1
        let delay = try Duration.limit(retryDelay, "--retry-delay")
        request.retry.delay = delay ?? .seconds(1)
        request.retry.delayLimit = delay ?? .seconds(600)
        request.retry.totalTime = try Duration.limit(retryMaxTime, "--retry-max-time")
        // curl waits as long as a server asks for; this is the longest that the plugin takes.
        request.retry.retryAfterLimit = .seconds(86_400)
        request.retry.methods = [request.method]
        if retryAllErrors {
            request.retry.statuses = (400...599).map(String.init)
        } else {
            request.retry.statuses = CurlArguments.transientStatuses
            request.retry.failures = CurlArguments.transientFailures.union(retryRefused ? [.transportConnect] : [])
        }
    }
}
