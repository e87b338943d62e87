import ArgumentParser
import Plugboard
import PlugboardMessages

/// The options of a request without its body, for all verbs that send one.
struct RequestArguments: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header field, 'Name: value'; 'Name:' removes a default one, 'Name;' sends an empty one. @FILE is a file "
                + "with a field on each line, - standard input.", valueName: "field"))
    var fields: [String] = []

    @OptionGroup(title: "curl's options") var curl: CurlArguments
    @OptionGroup(title: "Cookies and session") var cookies: CookieArguments
    @OptionGroup(title: "Connection") var connection: ConnectionArguments
    @OptionGroup(title: "Plugins") var plugins: PluginArguments

    @Option(
        name: .customLong("attribute"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "What this request tells a plugin: redirect.limit=5.", valueName: "plugin.name=value"),
        completion: PluginCompletion.attributes)
    var attributes: [String] = []

    /// What all requests of a command line have in common, of which files are read.
    struct Common {
        /// Those of `-H`.
        let fields: [FieldArgument]
        let options: RequestOptions
    }

    /// Reads it. Blocks.
    func common() throws -> Common {
        Common(fields: try givenFields(), options: try connection.options(isRepeated: curl.repeats))
    }

    /// - Parameters:
    ///   - baseURL: The configuration's `kernel.baseURL`.
    ///   - more: Fields of the verb's own options, which `-H` replaces.
    ///   - items: Fields of request items, which stand beside those of `-H`.
    ///   - usesSession: Whether the request takes part in the session of the command line.
    ///   - common: What several requests share; nil reads it for this one.
    func request(
        _ method: Method, _ url: String, against baseURL: String?, _ content: BodyArguments.Content?,
        adding more: [FieldArgument] = [], items: [FieldArgument] = [], usesSession: Bool = true,
        common: Common? = nil
    ) throws -> Request {
        var request = Request(method, try RequestArguments.absolute(url, against: baseURL))
        let common = try common ?? self.common()
        var defaults: KeyValuePairs<FieldName, String> = [
            .userAgent: "plugboard/\(Program.version)", .accept: "*/*",
        ]
        if let content {
            request.body = content.body
            defaults = [
                .userAgent: "plugboard/\(Program.version)", .accept: content.accept, .contentType: content.type,
            ]
        }
        let arguments = allFields(more, common.fields + items)
        if content?.type.hasPrefix("multipart/form-data") ?? false { try FieldArgument.checkForm(beside: arguments) }
        request.fields = FieldArgument.fields(
            FieldArgument.fields(arguments, beside: content?.type), over: defaults)
        cookies.add(to: &request)
        request.options = common.options
        try addAttributes(to: &request)
        if usesSession { Session.current?.complete(&request, with: arguments) }
        return request
    }

    /// Adds the options to a request of a definition: fields replace those of the same names, and options that the
    /// command line gives replace the definition's.
    func complete(_ request: Request) throws -> Request {
        var request = request
        let arguments = allFields([], try givenFields())
        if request.fields[.userAgent] == nil { request.fields[.userAgent] = "plugboard/\(Program.version)" }
        if request.fields[.accept] == nil { request.fields[.accept] = "*/*" }
        for argument in arguments { request.fields.remove(argument.name) }
        for argument in arguments {
            if let value = argument.value { request.fields.append(argument.name, value) }
        }
        cookies.add(to: &request)
        request.options = try connection.options(over: request.options, isRepeated: curl.repeats)
        try addAttributes(to: &request)
        Session.current?.complete(&request, with: arguments)
        return request
    }

    /// The value of an attribute of the command line.
    func attribute(_ name: String) throws -> String? {
        try attributes.map { try PluginArguments.split($0, option: "--attribute") }.last { $0.0 == name }?.1
    }

    /// Puts the fields in the files of `-H` into their place, so that several requests read these once. Blocks.
    mutating func readFields() throws { fields = try givenFields().map(\.text) }

    /// The fields of `-H`.
    private func givenFields() throws -> [FieldArgument] { try fields.flatMap { try FieldArgument.all(in: $0) } }

    /// The fields of `-H` and of items, after those of other options that none of them names.
    private func allFields(_ more: [FieldArgument], _ given: [FieldArgument]) -> [FieldArgument] {
        let names = Set(given.map(\.name))
        return (more + curl.fields).filter { !names.contains($0.name) } + given
    }

    private func addAttributes(to request: inout Request) throws {
        // libcurl would prefer the user of the URL to other credentials, and other parts would not see it.
        let (url, user) = CurlURL.withoutUser(request.url)
        request.url = url
        try curl.addAttributes(to: &request)
        cookies.addSession(to: &request)
        for attribute in attributes {
            let (name, value) = try PluginArguments.split(attribute, option: "--attribute")
            request.attributes[name] = value
        }
        try curl.addLogin(to: &request, inURL: user.flatMap { ["", ":"].contains($0) ? nil : $0 })
    }

    /// The configuration with the changes of the command line.
    ///
    /// - Parameters:
    ///   - isDry: Whether nothing is sent. A session that does not exist is then not made.
    ///   - enable: Enables further plugins, before `--set` is applied.
    func configuration(
        isDry: Bool = false, _ enable: (inout Configuration) throws -> Void = { _ in }
    ) throws -> Configuration {
        var configuration = try plugins.configuration {
            try enable(&$0)
            try curl.enable(in: &$0)
            try cookies.enable(in: &$0)
            try cookies.enableSession(in: &$0, isDry: isDry)
        }
        if !connection.decidesTrust { try configuration.trustEnvironment() }
        try connection.addProxyUser(to: &configuration)
        if curl.locationTrusted { configuration.plugins.append(.linked(TrustedFields(names: try trustedNames))) }
        return configuration
    }

    /// Resolves a URL that begins with `/`, `?`, `#`, `./` or `../` against the base URL (RFC 3986 §5.2). Adds
    /// `http://` to any other URL without a scheme, as curl does: `localhost:8080/x`. `:8080/x` and `:/x` are those of
    /// localhost, as for HTTPie.
    static func absolute(_ url: String, against baseURL: String?) throws(CommandFailure) -> String {
        if url.hasPrefix(":") {
            let rest = url.dropFirst()
            return "http://localhost\(rest.utf8.first.map { (0x30...0x39).contains($0) } ?? false ? ":" : "")\(rest)"
        }
        if ["/", "?", "#", "./", "../"].contains(where: url.hasPrefix) {
            guard let baseURL else {
                throw CommandFailure(
                    .url,
                    "The URL is relative, and the configuration has no kernel.baseURL. Give a URL like "
                        + "https://example.com/path, or a configuration with kernel.baseURL.")
            }
            // The kernel reports a base URL that cannot be used.
            return URLParts.resolve(url, against: baseURL, normalizing: false) ?? url
        }
        let scheme = url.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        return url[scheme.endIndex...].hasPrefix(":/") ? url : "http://\(url)"
    }

    /// Refuses attributes of plugins that are not enabled before the kernel does, with an error that names the option.
    func check(_ kernel: Kernel) throws(CommandFailure) {
        let ids = kernel.plugins.map(\.id)
        for attribute in attributes.sorted() {
            let (name, _) = try PluginArguments.split(attribute, option: "--attribute")
            guard !ids.contains(where: { name.hasPrefix("\($0).") }) else { continue }
            throw PluginArguments.notEnabled("--attribute \(name)", name, among: ids)
        }
    }
}
