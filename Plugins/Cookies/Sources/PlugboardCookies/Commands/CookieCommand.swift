import PlugboardKit

/// The plugin's commands, and their documentation.
enum CookieCommand: String, CaseIterable {
    case list, get, set, delete, `import`, export, forget, stats, date, registrable

    var definition: CommandDefinition { CommandDefinition(rawValue, documentation, arguments: arguments) }

    private var documentation: String {
        switch self {
        case .list: "Lists the cookies of a jar, including their values."
        case .get: "Shows the Cookie field that a request for a URL would send."
        case .set: "Stores a cookie as if a response from a URL had set it with Set-Cookie."
        case .delete: "Removes the cookies that match all given arguments."
        case .import: "Adds the cookies of a cookies.txt, and lists the lines that are not cookies."
        case .export: "Writes a cookies.txt, or replies with its content."
        case .forget: "Removes the cookies of one jar, or of all jars."
        case .stats: "Shows the number of cookies in each jar."
        case .date: "Shows the date that an Expires attribute means."
        case .registrable: "Shows the registrable domain of a host."
        }
    }

    private var arguments: String {
        let jar = #""jar": "the jar; the setting jar by default""#
        switch self {
        case .list: return #"{\#(jar), "domain": "only cookies that this host would get over https, for any path"}"#
        case .get: return #"{"url": "the request's URL", \#(jar)}"#
        case .set: return #"{"url": "the URL of the response", "cookie": "as in Set-Cookie", \#(jar)}"#
        case .delete: return #"{"name": "the cookie's name", "domain": "its domain", "path": "its path", \#(jar)}"#
        case .import: return #"{"path": "the file", "text": "its content, instead of path", \#(jar)}"#
        case .export: return #"{"path": "the file; without it the reply is the content", \#(jar)}"#
        case .forget: return #"{"jar": "the jar; all jars without it"}"#
        case .stats: return ""
        case .date: return #"{"text": "the attribute's value"}"#
        case .registrable: return #"{"host": "the host, in Unicode or Punycode"}"#
        }
    }
}
