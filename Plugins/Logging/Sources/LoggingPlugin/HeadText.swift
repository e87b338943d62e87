import PlugboardKit

/// A head as it may be printed: a title, and under it a line for each field.
///
/// Secret fields show as `<redacted>`; fields that hold a URL lose its user, and its query's values unless they may be shown.
func headText(_ title: String, _ fields: Fields, showingQueries: Bool) -> String {
    var text = printable(title)
    for field in fields {
        text += "\n    \(printable(field.name)): "
        if field.isSecret {
            text += "<redacted>"
        } else if holdsURL(field.name) {
            text += printable(redacted(url: field.value, showingQuery: showingQueries))
        } else {
            text += printable(field.value)
        }
    }
    return text
}

private func holdsURL(_ name: String) -> Bool {
    [.location, .contentLocation, "Referer"].contains(FieldName(name))
}
