import PlugboardKit

/// A head without its secrets: a title, and below it a line for each field.
///
/// Secret fields show as `<redacted>`; URLs in fields lose their user, and their query's values unless these may be
/// shown.
func headText(_ title: String, _ fields: Fields, showingQueries: Bool) -> String {
    var text = Printable.text(title)
    for field in fields {
        text += "\n    \(Printable.text(field.name)): \(Printable.value(of: field, showingQuery: showingQueries))"
    }
    return text
}
