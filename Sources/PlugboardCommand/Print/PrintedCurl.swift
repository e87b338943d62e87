import Plugboard
import PlugboardKit

/// A request as a command line of curl, for sh: the words for what the request says, and for what plugins do with it.
///
/// Values of secret fields, passwords, tokens and the credentials of URLs are `…`, unless secrets are shown. What
/// plugins add to the request before it is sent, such as the cookies of a store or a signature, is not in it.
struct PrintedCurl {
    private var words: [String] = ["curl"]
    private let showsSecrets: Bool

    /// - Parameters:
    ///   - body: That of the request.
    ///   - options: The request's, completed with the configuration's.
    ///   - more: Further options of curl.
    init(
        _ request: Request, _ body: PrintedCurlBody, _ options: RequestOptions, _ plugins: PrintedCurlPlugins,
        adding more: [String], showingSecrets: Bool
    ) throws(CommandFailure) {
        showsSecrets = showingSecrets
        var body = body
        // Without data, curl sends no Content-Length for these.
        if case .none = body, [.post, .put, .patch].contains(request.method) { body = .bytes(.empty) }
        let (command, data) = try body.words()
        let usual: Method = data.isEmpty ? .get : data.first == "-T" ? .put : .post
        if request.method == .head, data.isEmpty {
            add("-I")
        } else if request.method != usual {
            add("-X", request.method.name)
        }
        addFields(request.fields, body, plugins)
        words += data
        let connection = PrintedCurlConnection(options)
        for option in plugins.options(of: request) + connection.options {
            let value = option.isURL ? option.value.map(withoutCredentials) : option.value
            add(option.name, value, isSecret: option.isSecret)
        }
        words += more
        addURL(request.url, body)
        if let command { pipe = "\(command) | " }
    }

    private var pipe = ""

    var text: String { pipe + words.map(ShellWord.quoted).joined(separator: " ") }

    private mutating func add(_ option: String, _ value: String? = nil, isSecret: Bool = false) {
        words.append(option)
        if let value { words.append(isSecret && !showsSecrets ? "…" : value) }
    }

    /// The fields, and options that remove those that curl adds by itself.
    private mutating func addFields(_ fields: Fields, _ body: PrintedCurlBody, _ plugins: PrintedCurlPlugins) {
        var (isForm, hasData) = (false, true)
        switch body {
        case .parts: isForm = true
        case .none, .upload: hasData = false
        case .file, .standardInput, .bytes: break
        }
        for field in fields {
            switch FieldName(field.name) {
            // curl makes the boundary.
            case .contentType where isForm && field.value.hasPrefix("multipart/form-data; boundary="): continue
            case .contentType where hasData && field.value == PrintedCurl.formType: continue
            case .accept where field.value == "*/*" && fields.values(.accept).count == 1: continue
            case .userAgent where !field.value.isEmpty && fields.values(.userAgent).count == 1:
                add("-A", field.value)
                continue
            // For -H beside a jar, curl sends two fields.
            case .cookie where plugins.haveJar && field.value.contains("="):
                add("-b", field.value, isSecret: true)
                continue
            case "Referer" where field.value == plugins.automaticReferer: continue
            default: break
            }
            let value = field.isSecret && !showsSecrets ? "…" : field.value
            add("-H", value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        if !fields.contains(.userAgent) { add("-H", "User-Agent:") }
        if !fields.contains(.accept) { add("-H", "Accept:") }
        if hasData, !isForm, !fields.contains(.contentType) { add("-H", "Content-Type:") }
    }

    private static let formType = "application/x-www-form-urlencoded"

    private mutating func addURL(_ url: String, _ body: PrintedCurlBody) {
        var patterns = url
        if case .upload(let file) = body { patterns += file }
        if patterns.contains(where: { "[]{}".contains($0) }) { add("-g") }
        // curl would resolve these segments.
        if URLParts(url).map({ $0.pathWithoutDotSegments != $0.path }) ?? false { add("--path-as-is") }
        // curl refuses blanks, which are sent as %20.
        words.append(withoutCredentials(url).replacing(" ", with: "%20"))
    }

    /// The URL with `…` for its user.
    private func withoutCredentials(_ url: String) -> String {
        guard !showsSecrets, let parts = URLParts(url), parts.hasCredentials, let user = parts.userinfo else {
            return url
        }
        return url[..<user.startIndex] + "…@" + url[user.endIndex...]
    }

    // MARK: Times

    static func milliseconds(_ duration: Duration) -> Int64 {
        let milliseconds = duration / .milliseconds(1)
        return milliseconds < 1e15 ? Int64(milliseconds.rounded(.up)) : 1_000_000_000_000_000
    }

    /// The seconds with only the digits that are needed after the point.
    static func seconds(_ duration: Duration) -> String {
        let milliseconds = milliseconds(duration)
        let rest = "\(milliseconds % 1000)"
        var digits = String(repeating: "0", count: 3 - rest.count) + rest
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(milliseconds / 1000)" + (digits.isEmpty ? "" : ".\(digits)")
    }
}
