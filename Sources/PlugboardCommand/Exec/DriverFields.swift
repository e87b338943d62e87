import JSON

/// The members of a line, each in its type; `null` is as good as absent.
struct DriverFields {
    private let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    func string(_ name: String) throws(DriverFault) -> String? {
        try read(name, "a string", \.stringValue)
    }

    func bool(_ name: String) throws(DriverFault) -> Bool? {
        try read(name, "true or false", \.boolValue)
    }

    /// A whole number that is not negative.
    func count(_ name: String) throws(DriverFault) -> Int? {
        try read(name, "a whole number from 0") { value in
            value.numberValue?.integer(Int.self).flatMap { $0 >= 0 ? $0 : nil }
        }
    }

    func milliseconds(_ name: String, from least: Int64 = 1) throws(DriverFault) -> Duration? {
        try read(name, "milliseconds from \(least)") { value in
            guard let count = value.numberValue?.integer(Int64.self), count >= least else { return nil }
            // A year is as good as for ever, and far from overflowing.
            return .milliseconds(min(count, 366 * 86_400_000))
        }
    }

    /// One of some words.
    func word(_ name: String, of words: [String]) throws(DriverFault) -> String? {
        try read(name, "one of \(words.joined(separator: ", "))") { value in
            value.stringValue.flatMap { words.contains($0) ? $0 : nil }
        }
    }

    /// An object of `host:port` for `host:port`. A host alone means the port that a URL means without one.
    func places(_ name: String, port: Int) throws(DriverFault) -> [String: String]? {
        try read(name, "an object of host:port for host:port") { value in
            guard let object = value.objectValue else { return nil }
            var places: [String: String] = [:]
            for (key, value) in object {
                let from = isPlace(key) ? key : "\(key):\(port)"
                guard let place = value.stringValue, isPlace(from), isPlace(place) else { return nil }
                places[from] = place
            }
            return places
        }
    }

    func object(_ name: String) throws(DriverFault) -> DriverFields? {
        try read(name, "an object", \.objectValue).map { DriverFields($0) }
    }

    func read<Value>(
        _ name: String, _ wanted: String, _ parse: (JSONValue) -> Value?
    ) throws(DriverFault) -> Value? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let parsed = parse(value) else { throw DriverFault(.invalid, "\(name) must be \(wanted).") }
        return parsed
    }
}
