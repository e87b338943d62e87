/// Texts in the form in which they may be printed.
public enum Printable {
    /// The text without control sequences for terminals and without line breaks: control characters, invisible
    /// characters and marks that change the direction of writing become escapes such as `\u{1B}`.
    public static func text(_ text: String) -> String {
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

    /// The value of a field: `<redacted>` if it is secret; as `url(_:showingQuery:)` returns it if it is a URL
    /// (`Location`, `Content-Location`, `Referer`); else the whole value, as `text(_:)` returns it.
    public static func value(of field: Fields.Element, showingQuery: Bool = false) -> String {
        if field.isSecret { return "<redacted>" }
        return holdsURL(field.name) ? url(field.value, showingQuery: showingQuery) : text(field.value)
    }

    private static func holdsURL(_ name: String) -> Bool {
        [.location, .contentLocation, "Referer"].contains(FieldName(name))
    }
}
