extension RequestOptions {
    /// The options that are set, with the names and words of the configuration's `kernel`, as they cross the border.
    public var texts: [(name: String, value: String)] {
        RequestOptions.table.compactMap { row in row.text(self).map { (row.name, $0) } }
    }

    /// Whether the value of an option holds a secret: the password of a proxy or of a key.
    package static func isSecret(_ name: String, _ value: String) -> Bool {
        name == "proxy" && value.utf8.contains(UInt8(ascii: "@")) || name == "tls.keyPassword"
    }

    /// Sets one option by its name in `texts`. Returns an error text without the value, or nil.
    public mutating func set(_ name: String, to text: String) -> String? {
        guard let row = RequestOptions.table.first(where: { $0.name == name }) else {
            return "there is no option \(Printable.text(name))"
        }
        return row.set(&self, text) ? nil : "the option \(name) must be \(row.wanted)"
    }

    private struct Row: Sendable {
        let name: String
        let wanted: String
        let text: @Sendable (RequestOptions) -> String?
        let set: @Sendable (inout RequestOptions, String) -> Bool

        init<Value>(
            _ name: String, _ wanted: String, _ option: WritableKeyPath<RequestOptions, Value?> & Sendable,
            _ text: @escaping @Sendable (Value) -> String, _ value: @escaping @Sendable (String) -> Value?
        ) {
            self.name = name
            self.wanted = wanted
            self.text = { $0[keyPath: option].map(text) }
            set = { options, text in
                guard let value = value(text) else { return false }
                options[keyPath: option] = value
                return true
            }
        }

        init<Value: OptionValue>(
            _ name: String, _ wanted: String, _ option: WritableKeyPath<RequestOptions, Value?> & Sendable
        ) {
            let form = Value.optionForm
            self.init(name, wanted, option, { form.text(of: $0) }, { form.read($0) })
        }

        init<Choice: RawRepresentable<String> & CaseIterable & SendableMetatype>(
            _ name: String, _ option: WritableKeyPath<RequestOptions, Choice?> & Sendable
        ) {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            self.init(name, "one of \(words)", option, \.rawValue) { Choice(rawValue: $0) }
        }

        static func duration(_ name: String, _ option: WritableKeyPath<RequestOptions, Duration?> & Sendable) -> Row {
            // Rounded up to milliseconds, because a timeout of zero means no limit.
            Row(name, "a time like 30s (ms, s, m, h, d)", option, { "\($0.wholeMilliseconds)ms" }) {
                DurationText($0)?.duration
            }
        }

        static func text(_ name: String, _ option: WritableKeyPath<RequestOptions, String?> & Sendable) -> Row {
            Row(name, "a text", option)
        }

        static func speed(_ name: String, _ option: WritableKeyPath<RequestOptions, ByteCount?> & Sendable) -> Row {
            Row(name, "a size like 16MiB (B, KiB, MiB, GiB)", option)
        }
    }

    private static let table: [Row] = [
        .duration("timeout", \.timeout),
        .duration("connectTimeout", \.connectTimeout),
        .duration("idleTimeout", \.idleTimeout),
        .duration("attemptTimeout", \.attemptTimeout),
        Row("connectTo", "an object of texts", \.connectTo),
        .text("proxy", \.proxy),
        .text("noProxy", \.noProxy),
        .text("interface", \.interface),
        .text("unixSocket", \.unixSocket),
        .text("target", \.target),
        Row("ipVersion", \.ipVersion),
        Row("httpVersion", \.httpVersion),
        .text("tls.ca", \.tls.ca),
        Row(
            "tls.pins", "public keys with ; between them", \.tls.pins, { $0.joined(separator: ";") },
            { $0.split(separator: ";", omittingEmptySubsequences: false).map { String($0) } }),
        .text("tls.certificate", \.tls.certificate),
        .text("tls.key", \.tls.key),
        .text("tls.keyPassword", \.tls.keyPassword),
        Row("tls.verify", "true or false", \.tls.verify),
        Row("tls.minimum", \.tls.minimum),
        .speed("speed.download", \.speed.download),
        .speed("speed.upload", \.speed.upload),
    ]
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        let (milliseconds, rest) = max(nanoseconds, 0).quotientAndRemainder(dividingBy: 1_000_000)
        return milliseconds + (rest > 0 ? 1 : 0)
    }
}
