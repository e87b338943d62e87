import JSON
import PlugboardKit

/// The members of a line or of an object in it, each in its type; a member that is `null` counts as absent.
struct DriverFields {
    private let object: JSONObject
    /// What stands before a member's name in errors: `retry.`; empty for the line itself.
    private let prefix: String

    /// Refuses members that are not known.
    init(_ object: JSONObject, known: [String], in prefix: String = "") throws(DriverError) {
        for (name, _) in object where !known.contains(name) {
            let near = nearest(name, in: known).map { "Did you mean \(prefix)\($0)?" }
            throw DriverError(
                .invalid,
                "\(printable(prefix + name)) is not a known field. "
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

    /// A whole number that is not negative.
    func count(_ name: String) throws(DriverError) -> Int? {
        try read(name, "a whole number that is not negative") { value in
            value.numberValue?.integer(Int.self).flatMap { $0 >= 0 ? $0 : nil }
        }
    }

    func milliseconds(_ name: String, from least: Int64 = 1) throws(DriverError) -> Duration? {
        try read(name, "a whole number of milliseconds, \(least) or more") { value in
            guard let count = value.numberValue?.integer(Int64.self), count >= least else { return nil }
            // A year is longer than any exchange, and far from overflowing.
            return .milliseconds(min(count, 366 * 86_400_000))
        }
    }

    /// One of some words.
    func word(_ name: String, of words: [String]) throws(DriverError) -> String? {
        try read(name, "one of \(words.joined(separator: ", "))") { value in
            value.stringValue.flatMap { words.contains($0) ? $0 : nil }
        }
    }

    /// An object of `host:port` for `host:port`. A host alone means the port that a URL means without one.
    func places(_ name: String, port: Int) throws(DriverError) -> [String: String]? {
        try read(name, "an object of host:port for host:port") { value in
            guard let object = value.objectValue else { return nil }
            var places: [String: String] = [:]
            for (key, value) in object {
                let isHostAndPort = RequestOptions.isHostAndPort
                let from = isHostAndPort(key) ? key : "\(key):\(port)"
                guard let place = value.stringValue, isHostAndPort(from), isHostAndPort(place) else { return nil }
                places[from] = place
            }
            return places
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
