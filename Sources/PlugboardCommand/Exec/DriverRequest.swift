import PlugboardJSON
import PlugboardJSONSchema
import PlugboardKit
import PlugboardSystem

/// The request of a line of `plugboard exec`.
struct DriverRequest {
    let request: Request
    /// The largest body, in bytes; a larger one is an error.
    let bodyLimit: Int?
    /// The file that the body is written to; nil returns it in the reply.
    let file: String?
    /// Whether what an earlier line has left of the file is continued.
    let resumes: Bool

    static let fields = [
        "id", "op", "method", "url", "headers", "body_b64", "redirect", "max_redirects", "cache", "timeout_ms",
        "connect_timeout_ms", "idle_timeout_ms", "connect_to", "ca_file", "unix_socket", "decompress", "max_body_bytes",
        "retry", "validate", "download",
    ]

    static let retryFields = ["max", "delay_ms", "max_time_ms"]
    static let downloadFields = ["file", "resume"]
    static let validateFields = ["schema", "draft", "formats"]

    /// - Parameter plugins: The ids of the enabled plugins. A field that needs another one is unsupported.
    init(_ object: JSONObject, plugins: Set<String>) throws(DriverError) {
        let line = try DriverFields(object, known: DriverRequest.fields)
        let url = try line.requiredString("url")
        var request = Request(Method(try line.string("method") ?? "GET"), url)
        request.fields =
            try line.read("headers", "an array of [name, value], each character a byte", DriverRequest.headers)
            ?? Fields()
        if let bytes = try line.read("body_b64", "base 64", { $0.stringValue.flatMap(Base64.decode) }) {
            request.body = .bytes(bytes)
        }
        request.options = try DriverRequest.options(line, url)
        try DriverRequest.steer(&request, line, plugins)
        self.request = request
        bodyLimit = try line.count("max_body_bytes")
        (file, resumes) = try DriverRequest.download(line, plugins)
    }

    private static func headers(_ value: JSONValue) -> Fields? {
        guard let pairs = value.arrayValue else { return nil }
        var fields = Fields()
        for pair in pairs {
            guard pair.arrayValue?.count == 2, let name = pair[0]?.stringValue.flatMap(Isomorphic.bytes),
                let value = pair[1]?.stringValue.flatMap(Isomorphic.bytes)
            else { return nil }
            name.withUnsafeBytes { name in value.withUnsafeBytes { fields.append(name, $0) } }
        }
        return fields
    }

    private static func options(_ line: DriverFields, _ url: String) throws(DriverError) -> RequestOptions {
        var options = RequestOptions()
        options.timeout = try line.milliseconds("timeout_ms")
        options.connectTimeout = try line.milliseconds("connect_timeout_ms")
        options.idleTimeout = try line.milliseconds("idle_timeout_ms")
        let isSecure = url.utf8.prefix(6).map { $0 | 0x20 }.elementsEqual("https:".utf8.map { $0 | 0x20 })
        options.connectTo = try line.hostsAndPorts("connect_to", port: isSecure ? 443 : 80)
        options.tls.ca = try line.string("ca_file")
        if let file = options.tls.ca, access(file, F_OK) != 0 {
            throw DriverError(.invalid, "ca_file: \(file) does not exist.")
        }
        options.unixSocket = try line.string("unix_socket")
        return options
    }

    /// Sets the attributes with which the line controls plugins.
    private static func steer(
        _ request: inout Request, _ line: DriverFields, _ plugins: Set<String>
    ) throws(DriverError) {
        let follows = try line.word("redirect", of: ["follow", "manual"]) == "follow"
        if follows && !plugins.contains("redirect") { throw unsupported("redirect", needs: "redirect") }
        let hops = try line.count("max_redirects") ?? 20
        if plugins.contains("redirect") {
            request.attributes["redirect.follow"] = follows ? "true" : "false"
            // The largest value of the attribute.
            request.attributes["redirect.limit"] = "\(min(hops, 1000))"
        }

        let decodes = try line.bool("decompress") ?? false
        if decodes && !plugins.contains("decode") { throw unsupported("decompress", needs: "decode") }
        request.attributes["decode.enabled"] = decodes ? "true" : "false"
        if decodes { request.attributes["decode.always"] = "true" }

        let mode = try line.word("cache", of: cacheModes)
        if let mode, plugins.contains("cache") { request.attributes["cache.mode"] = mode }

        if let validation = try line.object("validate", known: validateFields) {
            guard plugins.contains("validator") else { throw unsupported("validate", needs: "validator") }
            try DriverRequest.validate(&request, validation)
        }
        if let retry = try line.object("retry", known: retryFields) {
            try DriverRequest.retry(&request, retry, plugins)
        }
    }

    private static func validate(_ request: inout Request, _ validation: DriverFields) throws(DriverError) {
        let formats = try validation.bool("formats") ?? false
        guard let schema = try validation.read("schema", "a schema", { $0 }) else {
            throw DriverError(.invalid, "validate.schema is missing. It must be a schema.")
        }
        request.attributes["validator.schema"] = JSONWriter.write(schema)
        request.attributes["validator.mode"] = "strict"
        request.attributes["validator.formats"] = formats ? "true" : "false"
        if let draft = try validation.word("draft", of: SchemaDraft.allCases.map(\.rawValue)) {
            request.attributes["validator.draft"] = draft
        }
    }

    private static let cacheModes = [
        "default", "no-store", "no-cache", "reload", "force-cache", "only-if-cached",
    ]

    private static func retry(
        _ request: inout Request, _ retry: DriverFields, _ plugins: Set<String>
    ) throws(DriverError) {
        let again = try retry.count("max")
        let delay = try retry.milliseconds("delay_ms", from: 0)
        let limit = try retry.milliseconds("max_time_ms")
        guard plugins.contains("retry") else {
            if again ?? 0 > 0 { throw unsupported("retry", needs: "retry") }
            return
        }
        // Limited to the largest values of the attributes.
        if let again { request.attributes["retry.attempts"] = "\(min(again, 99) + 1)" }
        if let delay {
            request.attributes["retry.delay"] = DurationText(min(delay, .seconds(86_400))).description
        }
        if let limit {
            request.attributes["retry.totalTime"] = DurationText(min(limit, .seconds(365 * 86_400))).description
        }
    }

    private static func download(
        _ line: DriverFields, _ plugins: Set<String>
    ) throws(DriverError) -> (file: String?, resumes: Bool) {
        guard let download = try line.object("download", known: downloadFields) else { return (nil, false) }
        let file = try download.requiredString("file")
        guard !file.isEmpty else { throw DriverError(.invalid, "download.file must be a path, not an empty string.") }
        let resumes = try download.bool("resume") ?? false
        if resumes && !plugins.contains("resume") { throw unsupported("download.resume", needs: "resume") }
        // The decoded bytes are not those that ranges count.
        let decodes = try line.bool("decompress") ?? false
        return (file, resumes && !decodes)
    }

    private static func unsupported(_ field: String, needs plugin: String) -> DriverError {
        DriverError(.unsupported, "\(field) needs the plugin \(plugin), which is not enabled.")
    }
}
