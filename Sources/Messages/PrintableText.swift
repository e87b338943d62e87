/// A text that can be printed safely: it holds no control sequences for terminals and no line breaks.
///
/// Control characters, invisible characters and marks that change the direction of writing become escapes such as
/// `\u{1B}`.
public func printable(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            safe += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        default: safe.unicodeScalars.append(scalar)
        }
    }
    return safe
}

/// The value of a field in the form in which it may be printed: `<redacted>` if it is secret; as
/// `redacted(url:showingQuery:)` returns it if it is a URL (`Location`, `Content-Location`, `Referer`); else the whole
/// value. Always `printable`.
public func printable(_ field: Fields.Element, showingQuery: Bool = false) -> String {
    if field.isSecret { return "<redacted>" }
    guard holdsURL(field.name) else { return printable(field.value) }
    return printable(redacted(url: field.value, showingQuery: showingQuery))
}

private func holdsURL(_ name: String) -> Bool {
    [.location, .contentLocation, "Referer"].contains(FieldName(name))
}
