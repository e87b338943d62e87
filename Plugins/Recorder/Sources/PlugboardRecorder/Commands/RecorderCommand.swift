import PlugboardKit

/// The plugin's commands, and their documentation.
enum RecorderCommand: String, CaseIterable {
    case list, show, har, report, curl, `import`, clear, stats

    var definition: CommandDefinition {
        CommandDefinition(rawValue, documentation, arguments: arguments, isQuiet: true)
    }

    private var documentation: String {
        switch self {
        case .list: "Lists recorded exchanges, the newest first, each in a line."
        case .show: "Shows one exchange: heads, bodies, attempts, and the events of plugins."
        case .har: "Writes recorded exchanges as HAR 1.2."
        case .report: "Writes a page for browsers, one file, that shows recorded exchanges."
        case .curl: "Shows the request of one exchange as a command line of curl."
        case .import: "Adds the entries of a HAR file."
        case .clear: "Removes recorded exchanges."
        case .stats: "Shows how many exchanges there are for each host, and how long they took."
        }
    }

    private var arguments: String {
        let filter = #"""
            "method": "such as GET", "host": "a host, or .example.com for all below it", "status": "404, 4xx or failed", \#
            "took": "at least this time, such as 500ms", "text": "in the URL, a field or a body", "label": "recorder.label"
            """#
        switch self {
        case .list: return #"{"limit": "the most lines; 50 by default", "json": "true replies in JSON", \#(filter)}"#
        case .show, .curl: return #"{"id": "the number in the list"}"#
        case .har, .report:
            return #"""
                {"id": "one exchange only", "path": "a file, instead of the reply", "limit": "the most exchanges", \#
                "bytes": "no more exchanges after about as many bytes", \#
                "after": "only later ones than this number", "before": "only earlier ones", \#(filter)}
                """#
        case .import: return #"{"path": "the file", "text": "its content, instead of path"}"#
        case .clear: return "{\(filter)}"
        case .stats: return "{\(filter)}"
        }
    }
}
