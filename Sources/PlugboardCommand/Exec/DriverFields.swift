import PlugboardJSON
import PlugboardKit

/// The members of a line, or of an object in it, read by their types. A member that is `null` counts as absent.
struct DriverFields {
    private let object: JSONObject
    /// The prefix of member names in errors: `retry.`; empty for the line itself.
    private let prefix: String

    /// Throws for unknown members.
    init(_ object: JSONObject, known: [String], in prefix: String = "") throws(DriverError) {
        for (name, _) in object where !known.contains(name) {
            let near = Spelling.nearest(name, in: known).map { "Did you mean \(prefix)\($0)?" }
            throw DriverError(
                .invalid,
                "\(Printable.text(prefix + name)) is not a known field. "
                    + (near ?? "Known are \(known.map { prefix + $0 }.joined(separator: ", "))."))
        }
        self.object = object
        self.prefix = prefix
    }

    func string(_ name: String) throws(DriverError) -> String? {
        try read(name, "a string", \.stringValue)
    }

    func requiredString(_ name: String) throws(DriverError) -> String {
        guard let text = try string(name) else {
            throw DriverError(.invalid, "\(prefix)\(name) is missing. It must be a string.")
        }
        return text
    }

    func bool(_ name: String) throws(DriverError) -> Bool? {
        try read(name, "true or false", \.boolValue)
    }

    /// A whole number of 0 or more.
    func count(_ name: String) throws(DriverError) -> Int? {
        try read(name, "a whole number that is not negative") { value in
            value.numberValue?.integer(Int.self).flatMap { $0 >= 0 ? $0 : nil }
        }
    }

    func milliseconds(_ name: String, from least: Int64 = 1) throws(DriverError) -> Duration? {
        try read(name, "a whole number of milliseconds, \(least) or more") { value in
            guard let count = value.numberValue?.integer(Int64.self), count >= least else { return nil }
            // Limited to a year: longer than any exchange, and far from an overflow.
            return .milliseconds(min(count, 366 * 86_400_000))
        }
    }

    /// One of these words.
    func word(_ name: String, of words: [String]) throws(DriverError) -> String? {
        try read(name, "one of \(words.joined(separator: ", "))") { value in
            value.stringValue.flatMap { words.contains($0) ? $0 : nil }
        }
    }

    /// An object of `host:port` for `host:port`. A key without a port means the default port of the URL's scheme.
    func hostsAndPorts(_ name: String, port: Int) throws(DriverError) -> [String: String]? {
        try read(name, "an object of host:port for host:port") { value in
            guard let object = value.objectValue else { return nil }
            var hostsAndPorts: [String: String] = [:]
            for (key, value) in object {
                let isHostAndPort = RequestOptions.isHostAndPort
                let from = isHostAndPort(key) ? key : "\(key):\(port)"
                guard let to = value.stringValue, isHostAndPort(from), isHostAndPort(to) else { return nil }
                hostsAndPorts[from] = to
            }
            return hostsAndPorts
        }
    }

    func object(_ name: String, known: [String]) throws(DriverError) -> DriverFields? {
        guard let object = try read(name, "an object", \.objectValue) else { return nil }
        return try DriverFields(object, known: known, in: "\(prefix)\(name).")
    }

    func read<Value>(
        _ name: String, _ wanted: String, _ parse: (JSONValue) -> Value?
    ) throws(DriverError) -> Value? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let parsed = parse(value) else { throw DriverError(.invalid, "\(prefix)\(name) must be \(wanted).") }
        return parsed
    }
}
