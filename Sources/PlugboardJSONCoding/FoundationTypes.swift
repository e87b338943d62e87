/// Types of Foundation whose own coding differs from the usual JSON: a URL becomes an object, data a list, and a date a
/// number of seconds since 2001. They are errors unless a codec has closures that read and write them.
enum FoundationTypes {
    /// The types by their mangled names; empty in a program without Foundation.
    private static let known: [ObjectIdentifier] = ["3URLV", "7DecimalV", "4DataV", "4DateV"].flatMap { name in
        ["10Foundation", "20FoundationEssentials"].compactMap { module in
            _typeByName("\(module)\(name)").map { ObjectIdentifier($0) }
        }
    }

    static func contains(_ type: Any.Type) -> Bool { known.contains(ObjectIdentifier(type)) }

    /// The error and its solution.
    static func remedy(_ type: Any.Type) -> String {
        "\(type) is a type of Foundation, whose own form is not that of JSON: use the codec .foundation(dates:) of "
            + "PlugboardFoundation, or tell the encoder and the decoder of the codec how it is written and read"
    }
}
