import JSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// JSON as this command writes it: laid out on a terminal, with colours unless NO_COLOR is set.
enum JSONText {
    static func write(_ value: JSONValue, isForTerminal: Bool) -> String {
        let options = JSONWriter.Options(pretty: isForTerminal)
        // https://no-color.org: any value that is not empty.
        guard isForTerminal, getenv("NO_COLOR").map({ $0.pointee == 0 }) ?? true else {
            return JSONWriter.write(value, options: options)
        }
        return JSONWriter.write(value, options: options) { token, text in
            switch token {
            case .key: "\u{1B}[34m\(text)\u{1B}[0m"
            case .string: "\u{1B}[32m\(text)\u{1B}[0m"
            case .number: "\u{1B}[36m\(text)\u{1B}[0m"
            case .word: "\u{1B}[35m\(text)\u{1B}[0m"
            case .punctuation: text
            }
        }
    }
}
