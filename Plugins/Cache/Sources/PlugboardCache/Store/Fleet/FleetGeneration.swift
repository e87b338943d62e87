import PlugboardKit

/// What all responses in the store of a fleet have in common: another generation after each purge of all, and the
/// patterns of later purges.
struct FleetGeneration: Sendable {
    /// With more patterns than this, all responses are purged instead.
    private static let patternLimit = 32
    /// A longer pattern purges all responses, too.
    private static let patternLength = 8192

    let id: UInt64
    /// The number of patterns so far.
    private(set) var count: UInt32 = 0
    private var patterns: [String] = []

    init(id: UInt64) { self.id = id }

    /// Nil if the value does not have the form of a generation.
    init?(_ value: Bytes) {
        let read = value.withUnsafeBytes { bytes -> FleetGeneration? in
            var reader = ByteReader(bytes)
            return try? FleetGeneration(&reader)
        }
        guard let read else { return nil }
        self = read
    }

    private init(_ reader: inout ByteReader) throws(ByteReader.End) {
        id = try reader.number()
        count = try reader.number()
        let limit = min(Int(count), FleetGeneration.patternLimit)
        // Look-ups compare each pattern with each URL, so that a longer one of somebody else must not be read.
        while !reader.isAtEnd {
            let bytes = try reader.view()
            guard patterns.count < limit, bytes.count <= FleetGeneration.patternLength,
                let pattern = String(validating: bytes, as: UTF8.self)
            else { throw ByteReader.End() }
            patterns.append(pattern)
        }
        guard id != 0 else { throw ByteReader.End() }
    }

    var value: Bytes {
        var writer = ByteWriter(capacity: 64)
        writer.append(id)
        writer.append(count)
        for pattern in patterns { writer.append(pattern) }
        return Bytes(writer.bytes)
    }

    /// The generation after the purge of a pattern; nil if it has no room for another one.
    func purging(_ pattern: String) -> FleetGeneration? {
        guard patterns.count < FleetGeneration.patternLimit, pattern.utf8.count <= FleetGeneration.patternLength,
            count < .max
        else { return nil }
        var next = self
        next.count += 1
        next.patterns.append(pattern)
        return next
    }

    /// Whether a response of this URL, stored with this stamp, was not purged since.
    func has(_ stamp: FleetStamp, _ url: String) -> Bool {
        guard stamp.generation == id, stamp.pattern <= count, Int(count - stamp.pattern) <= patterns.count else {
            return false
        }
        return !patterns.suffix(Int(count - stamp.pattern)).contains { URLPattern($0).fits(url) }
    }
}
