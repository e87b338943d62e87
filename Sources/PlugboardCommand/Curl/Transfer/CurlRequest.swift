import Plugboard
import PlugboardKit

/// What a group of options says about the requests to one URL.
struct CurlRequest {
    let group: CurlGroup
    let words: CurlWords
    /// The URL without user and password.
    let url: String
    let body: CurlBody
    let kind: CurlHop.Kind
    let rules: CurlHop.Rules
    private let authorization: String?
    private let fields: [FieldArgument]
    private let options: RequestOptions
    /// The time limit of one repetition with all its redirects.
    let timeout: Duration?

    /// What the options of a group say with files, which the requests to all its URLs share.
    struct Input {
        let fields: [FieldArgument]
        /// The data of `-d` and similar options.
        let data: [UInt8]
        let parameters: [String]
        /// The parts of `-F`; nil without this option.
        let form: BodyArguments.Content?

        /// Reads the files, and opens those of `-F`. Blocks.
        init(_ group: CurlGroup, _ words: CurlWords) throws {
            fields = try group.fields.flatMap { try FieldArgument.all(in: $0) }
            data = try FormData.joined(group.data)
            // For curl, the data of -G replaces that of --url-query.
            parameters =
                group["get"] && !group.data.isEmpty
                ? [String(decoding: data, as: UTF8.self)] : try group.queries.map { try FormData.query($0) }
            form = try words.body.content(RequestItems(words.body))
        }
    }

    /// Perhaps reads a file of passwords, or asks for one. Blocks.
    init(_ group: CurlGroup, _ words: CurlWords, _ input: Input, url text: String, upload: String?) throws {
        (self.group, self.words) = (group, words)
        let scheme = group.values["proto-default"] ?? "http"
        var url = CurlURL.absolute(text, scheme: scheme, isPathKept: group["path-as-is"])
        if let upload { url = CurlURL.forUpload(of: upload, to: url) }
        (kind, body) = try CurlRequest.content(of: group, input, upload)
        url = CurlURL.adding(input.parameters, to: url)
        let (bare, user) = CurlURL.withoutUser(url)
        if user != nil, group["disallow-username-in-url"] {
            throw CommandFailure(.url, "The URL has a user, which --disallow-username-in-url refuses.")
        }
        self.url = bare
        rules = try group.redirectRules()
        try group.check(bare)
        authorization = try CurlCredentials.field(of: group, host: String(URLParts(bare)?.host ?? ""), inURL: user)
        fields = input.fields
        timeout = try group.seconds("max-time")
        options = try group.options(words, for: bare)
        if case .form = body { try FieldArgument.checkForm(beside: fields) }
    }

    private static func content(
        of group: CurlGroup, _ input: Input, _ upload: String?
    ) throws -> (CurlHop.Kind, CurlBody) {
        let hasData = !group.data.isEmpty && !group["get"]
        let kinds = [hasData, input.form != nil, upload != nil, group["head"] && !(upload != nil)]
        guard kinds.count(where: { $0 }) <= 1 else {
            throw CommandFailure(.usage, "curl: only one of -d, -F, -T and -I can be given.")
        }
        if let upload { return (.put, .upload(upload)) }
        if let form = input.form { return (.post, .form(form)) }
        if hasData { return (.post, .data(input.data)) }
        return (group["head"] ? .head : .get, .none)
    }

    /// Whether the response's body is wanted.
    var wantsBody: Bool { !group["head"] }

    /// The request of one hop.
    ///
    /// - Parameter timeout: The rest of the time limit.
    func request(for hop: CurlHop, timeout: Duration?) throws -> Request {
        let content: (body: Body?, type: String?) =
            [.post, .put].contains(hop.kind) ? try body.content() : (nil, nil)
        var request = Request(Method(group.values["request"] ?? hop.kind.rawValue), hop.url, body: content.body)
        let isTrusted = hop.isFirstOrigin || group["location-trusted"]
        var own = fields
        if !isTrusted { own.removeAll { [.authorization, .cookie].contains($0.name) } }
        let named = Set(own.map(\.name))
        for (name, value) in internalFields(hop, content, isTrusted) where !named.contains(name) {
            if let value { request.fields.append(name, value) }
        }
        for field in FieldArgument.fields(own, beside: content.type) {
            if let value = field.value { request.fields.append(field.name, value) }
        }
        if isTrusted { words.arguments.cookies.add(to: &request) }
        // The field is given here, and yet the plugin decode decodes the response.
        if words.arguments.curl.compressed { request.decode.always = true }
        request.options = isTrusted ? options : options.forOtherOrigins
        request.options.timeout = timeout
        return request
    }

    /// The fields of other options than `-H`, in curl's order.
    private func internalFields(
        _ hop: CurlHop, _ content: (body: Body?, type: String?), _ isTrusted: Bool
    ) -> [(FieldName, String?)] {
        let agent = group.values["user-agent"] ?? "plugboard/\(Program.version)"
        let isJSON = group.data.contains { $0.kind == .json } && !group["get"]
        let range = hop.kind == .get || hop.kind == .head ? group.values["range"] : nil
        var all: [(FieldName, String?)] = [
            (.authorization, isTrusted && (hop.isChallenged || !group["anyauth"]) ? authorization : nil),
            (.userAgent, agent.isEmpty ? nil : agent),
            (.range, range.map(MethodArguments.field(of:))),
            (.accept, isJSON ? "application/json" : "*/*"),
            (.acceptEncoding, words.arguments.curl.compressed ? CurlArguments.codings : nil),
            ("Referer", referer(hop)),
        ]
        // Unlike the other types, that of --json stays after a redirect.
        all.append((.contentType, isJSON ? "application/json" : content.type))
        // A method of -X alone announces no body: an empty length is not sent.
        if content.body == nil { all.append((.contentLength, "")) }
        if let body = content.body, hop.kind == .put && body.length != 0 || body.length.map({ $0 > 1 << 20 }) ?? true {
            all.append(("Expect", "100-continue"))
        }
        return all
    }

    private func referer(_ hop: CurlHop) -> String? {
        guard let (first, isAutomatic) = group.values["referer"].map(CurlArguments.referer) else { return nil }
        if isAutomatic, let previous = hop.previous { return previous }
        return first.isEmpty ? nil : first
    }
}
