import PlugboardKit

/// A head as it may be printed: a title, and under it a line for each field.
///
/// Secret fields show as `<redacted>`; fields that hold a URL lose its user, and its query's values unless they may be shown.
func headText(_ title: String, _ fields: Fields, showingQueries: Bool) -> String {
    var text = printable(title)
    for field in fields {
        text += "\n    \(printable(field.name)): \(printable(field, showingQuery: showingQueries))"
    }
    return text
}
