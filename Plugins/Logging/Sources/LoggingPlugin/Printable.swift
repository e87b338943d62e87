/// A text that cannot steer a terminal or forge a line of a log: control characters, and marks that change the direction
/// of writing or cannot be seen, show as `\u{1B}`.
func printable(_ text: String) -> String {
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
