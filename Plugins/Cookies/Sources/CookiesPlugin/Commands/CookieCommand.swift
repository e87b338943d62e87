import PlugboardKit

/// What the plugin can be asked to do.
enum CookieCommand: String, CaseIterable {
    case list, get, set, delete, `import`, export, forget, stats, date, registrable

    var definition: CommandDefinition { CommandDefinition(rawValue, documentation, arguments: arguments) }

    private var documentation: String {
        switch self {
        case .list: "The cookies of a jar, values included."
        case .get: "What a request for a URL would carry in Cookie."
        case .set: "Keeps a cookie as if the answer to a URL had carried it in Set-Cookie."
        case .delete: "Removes the cookies that all of what is given is true of."
        case .import: "Adds the cookies of a cookies.txt, and lists the lines that are none."
        case .export: "Writes a cookies.txt, or answers with it."
        case .forget: "Removes the cookies of a jar, or of all."
        case .stats: "How many cookies each jar holds."
        case .date: "The moment that an Expires attribute means."
        case .registrable: "The name in a host that somebody can have registered."
        }
    }

    private var arguments: String {
        let jar = #""jar": "the jar; by default the one of the settings""#
        switch self {
        case .list: return #"{\#(jar), "domain": "only what this host would get over https, whatever the path"}"#
        case .get: return #"{"url": "the request's URL", \#(jar)}"#
        case .set: return #"{"url": "where the answer came from", "cookie": "as in Set-Cookie", \#(jar)}"#
        case .delete: return #"{"name": "the cookie's name", "domain": "its domain", "path": "its path", \#(jar)}"#
        case .import: return #"{"path": "the file", "text": "or what it holds", \#(jar)}"#
        case .export: return #"{"path": "the file; none for the answer", \#(jar)}"#
        case .forget: return #"{"jar": "the jar; none for all"}"#
        case .stats: return ""
        case .date: return #"{"text": "the attribute's value"}"#
        case .registrable: return #"{"host": "the host, in Unicode or Punycode"}"#
        }
    }
}
