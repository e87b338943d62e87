/// Texts in the form in which they may be printed.
public enum Printable {
    /// The text without control sequences for terminals and without line breaks: control characters, invisible
    /// characters and marks that change the direction of writing become escapes such as `\u{1B}`.
    public static func text(_ text: String) -> String {
        if withUTF8(text, isPlain) { return text }
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

    /// Whether a text is of visible ASCII characters and the signs `…` and `→`, as almost all that are printed are.
    private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < text.count {
            if text[index] >= 0x20, text[index] < 0x7F {
                index += 1
            } else {
                guard text[index] == 0xE2, index + 2 < text.count else { return false }
                switch (text[index + 1], text[index + 2]) {
                case (0x80, 0xA6), (0x86, 0x92): index += 3
                default: return false
                }
            }
        }
        return true
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
