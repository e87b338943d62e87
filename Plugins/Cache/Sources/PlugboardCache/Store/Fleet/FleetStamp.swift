/// What the store had when a response was stored. The response is found while these are still there.
struct FleetStamp: Sendable, Equatable {
    /// The generation, and its latest pattern.
    var generation: UInt64
    var pattern: UInt32
    /// The marks of the URL in the key, and of the response's own URL.
    var key: FleetMarks
    var url: FleetMarks

    func write(_ writer: inout ByteWriter) {
        writer.append(generation)
        writer.append(pattern)
        for marks in [key, url] {
            writer.append(marks.purge)
            writer.append(marks.invalidation)
        }
    }
}

extension FleetStamp {
    init(_ reader: inout ByteReader) throws(ByteReader.End) {
        generation = try reader.number()
        pattern = try reader.number()
        key = FleetMarks(purge: try reader.number(), invalidation: try reader.number())
        url = FleetMarks(purge: try reader.number(), invalidation: try reader.number())
    }
}

/// The marks of a URL, random numbers: another one after each purge, or invalidation. 0 for a mark that is missing,
/// which no stored response has.
struct FleetMarks: Sendable, Equatable {
    var purge: UInt64 = 0
    var invalidation: UInt64 = 0
}
