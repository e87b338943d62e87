/// A text that cannot steer a terminal or forge a line of a log.
///
/// Control characters, and marks that change the direction of writing or cannot be seen, show as `\u{1B}`.
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

/// A field's value as it may be printed: `<redacted>` for a secret one; one that holds a URL (`Location`,
/// `Content-Location`, `Referer`) as `redacted(url:showingQuery:)` leaves it; any other whole. All of it `printable`.
public func printable(_ field: Fields.Element, showingQuery: Bool = false) -> String {
    if field.isSecret { return "<redacted>" }
    guard holdsURL(field.name) else { return printable(field.value) }
    return printable(redacted(url: field.value, showingQuery: showingQuery))
}

private func holdsURL(_ name: String) -> Bool {
    [.location, .contentLocation, "Referer"].contains(FieldName(name))
}
