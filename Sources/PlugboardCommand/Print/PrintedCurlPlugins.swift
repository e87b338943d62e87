import Plugboard
import PlugboardJSON
import PlugboardKit

/// What enabled plugins do with a request, and what the command line says that the request does not have, as options of
/// curl.
struct PrintedCurlPlugins {
    /// The settings of enabled plugins by their ids.
    private var settings: [String: JSONObject] = [:]
    private let origins: [Origin: Attributes]
    private let arguments: RequestArguments

    init(_ configuration: Configuration, _ arguments: RequestArguments) {
        for entry in configuration.plugins where entry.isEnabled {
            if let id = entry.id ?? configuration.descriptor(of: entry)?.id { settings[id] = entry.settings }
        }
        origins = configuration.origins
        self.arguments = arguments
    }

    /// Whether the cookies of a jar are sent beside the field Cookie.
    var haveJar: Bool { arguments.cookies.usesJar }

    /// What `--referer` with `;auto` sends at first; nil without it.
    var automaticReferer: String? {
        let referer = arguments.curl.referer.map(CurlArguments.referer)
        return referer?.isAutomatic ?? false ? referer?.first : nil
    }

    /// The options of the plugins that take part in the request.
    func options(of request: Request) -> [PrintedCurlOption] {
        var attributes = Origin(url: request.url).flatMap { origins[$0] } ?? [:]
        for (name, value) in request.attributes.values { attributes[name] = value }
        var taking = self
        taking.settings = settings.filter { attributes["\($0.key).enabled"] != "false" }
        return taking.options(attributes) + proxyUser
    }

    private func options(_ attributes: Attributes) -> [PrintedCurlOption] {
        redirect(attributes) + decode + retry(attributes) + authentication(attributes) + jar + referer
    }

    private var referer: [PrintedCurlOption] {
        automaticReferer.map { [PrintedCurlOption(name: "-e", value: "\($0);auto")] } ?? []
    }

    private var proxyUser: [PrintedCurlOption] {
        arguments.connection.proxyUser.map { [PrintedCurlOption(name: "-U", value: $0, isSecret: true)] } ?? []
    }

    private func redirect(_ attributes: Attributes) -> [PrintedCurlOption] {
        guard let settings = settings["redirect"], attributes["redirect.follow"] != "false" else { return [] }
        let limit = attributes["redirect.limit"] ?? settings["limit"]?.intValue.map { "\($0)" } ?? "20"
        let keepsMethod = (attributes["redirect.keepMethod"] ?? settings["keepMethod"].map { "\($0)" }) == "true"
        let isTrusted = self.settings[TrustedFields.manifest.id] != nil
        return [PrintedCurlOption(name: isTrusted ? "--location-trusted" : "-L")]
            + (limit == "50" ? [] : [PrintedCurlOption(name: "--max-redirs", value: limit)])
            + (keepsMethod ? [PrintedCurlOption(name: "--post301"), PrintedCurlOption(name: "--post302")] : [])
    }

    private var decode: [PrintedCurlOption] {
        settings["decode"] == nil ? [] : [PrintedCurlOption(name: "--compressed")]
    }

    private func retry(_ attributes: Attributes) -> [PrintedCurlOption] {
        guard let settings = settings["retry"] else { return [] }
        func text(_ name: String) -> String? { attributes["retry.\(name)"] ?? settings[name]?.stringValue }
        func duration(_ name: String) -> Duration? { text(name).flatMap { DurationText($0)?.duration } }
        let configured = settings["attempts"]?.intValue.map { Int(clamping: $0) } ?? 3
        let attempts = attributes["retry.attempts"].flatMap { Int($0) } ?? configured
        guard attempts > 1 else { return [] }
        var options = [PrintedCurlOption(name: "--retry", value: "\(attempts - 1)")]
        if let delay = duration("delay"), delay == duration("delayLimit") {
            options.append(PrintedCurlOption(name: "--retry-delay", value: PrintedCurlPlugins.wholeSeconds(delay)))
        }
        if let time = duration("totalTime") {
            options.append(PrintedCurlOption(name: "--retry-max-time", value: PrintedCurlPlugins.wholeSeconds(time)))
        }
        let statuses = attributes["retry.statuses"] ?? ""
        if statuses.contains("400"), statuses.contains("599") {
            options.append(PrintedCurlOption(name: "--retry-all-errors"))
        }
        if attributes["retry.failures"]?.contains("transport.connect") ?? false {
            options.append(PrintedCurlOption(name: "--retry-connrefused"))
        }
        return options
    }

    /// curl 7 takes no fractions here.
    private static func wholeSeconds(_ duration: Duration) -> String {
        "\((PrintedCurl.milliseconds(duration) + 999) / 1000)"
    }

    private func authentication(_ attributes: Attributes) -> [PrintedCurlOption] {
        guard settings["authentication"] != nil else { return [] }
        switch attributes["authentication.scheme"] {
        case "basic":
            guard let user = attributes["authentication.user"], let password = attributes["authentication.password"]
            else { break }
            return [PrintedCurlOption(name: "-u", value: "\(user):\(password)", isSecret: true)]
        case "bearer":
            guard let token = attributes["authentication.token"] else { break }
            return [PrintedCurlOption(name: "--oauth2-bearer", value: token, isSecret: true)]
        case nil: return []
        default: break
        }
        StandardError.warn("the credential that the plugin authentication adds is not in this command line")
        return []
    }

    private var jar: [PrintedCurlOption] {
        arguments.cookies.files.map { PrintedCurlOption(name: "-b", value: $0) }
            + (arguments.cookies.jar.map { [PrintedCurlOption(name: "-c", value: $0)] } ?? [])
    }
}
