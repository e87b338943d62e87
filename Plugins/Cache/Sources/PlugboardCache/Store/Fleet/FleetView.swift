import PlugboardKit

/// What a look-up of a key has read in the store of a fleet.
struct FleetView: Sendable {
    /// The names that are read: the records, the generation, and the marks of URLs.
    static func names(_ key: CacheKey, _ urls: [String], _ names: FleetNames) -> [String] {
        [names.records(key), FleetNames.generation] + urls.flatMap { FleetNames.marks($0) }
    }

    let key: CacheKey
    let value: Bytes?
    let generationValue: Bytes?
    let generation: FleetGeneration?
    private(set) var marks: [String: FleetMarks] = [:]
    /// The values of marks, by their names.
    private var values: [String: Bytes] = [:]
    private let all: [FleetRecord]

    /// - Parameter values: The values of `names`.
    init(_ key: CacheKey, _ urls: [String], _ values: [Bytes?]) {
        self.key = key
        (value, generationValue) = (values[0], values[1])
        generation = generationValue.flatMap { FleetGeneration($0) }
        all = generation == nil ? [] : value.flatMap { FleetRecord.decoded($0, of: key) } ?? []
        add(urls, values[2...])
    }

    mutating func add(_ urls: [String], _ values: some Sequence<Bytes?>) {
        var values = Array(values)[...]
        for url in urls {
            let numbers = FleetNames.marks(url).map { name -> UInt64 in
                guard let value = values.popFirst() ?? nil else { return 0 }
                self.values[name] = value
                return value.count == 8
                    ? value.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) } : 0
            }
            marks[url] = FleetMarks(purge: numbers[0], invalidation: numbers[1])
        }
    }

    /// The URLs of responses that are not the one in the key, and whose marks are to be read, too.
    var missingURLs: [String] { Array(Set(all.map(\.response.url)).filter { marks[$0] == nil }) }

    /// What must be made before a response of these URLs is stored: names, with the values there that are none.
    func missing(_ urls: [String]) -> [(name: String, value: Bytes?)] {
        if generation == nil { return [(FleetNames.generation, generationValue)] }
        let names = Set(urls).flatMap { url in
            zip(FleetNames.marks(url), [marks[url]?.purge, marks[url]?.invalidation])
        }
        return names.filter { $0.1 ?? 0 == 0 }.map { ($0.0, values[$0.0]) }
    }

    static func value(of mark: UInt64) -> Bytes { withUnsafeBytes(of: mark.littleEndian) { Bytes(copying: $0) } }

    /// What a response that is stored now has as its stamp.
    func stamp(_ url: String) -> FleetStamp {
        FleetStamp(
            generation: generation?.id ?? 0, pattern: generation?.count ?? 0, key: marks[key.url] ?? FleetMarks(),
            url: marks[url] ?? FleetMarks())
    }

    /// The records that were not purged since they were stored.
    var records: [FleetRecord] {
        all.compactMap { record in
            let now = stamp(record.response.url)
            guard now.key.purge != 0, now.url.purge != 0, now.key.purge == record.stamp.key.purge,
                now.url.purge == record.stamp.url.purge, generation?.has(record.stamp, record.response.url) == true
            else { return nil }
            var record = record
            let isValid = now.key.invalidation != 0 && now.url.invalidation != 0
            if !isValid || now.key.invalidation != record.stamp.key.invalidation
                || now.url.invalidation != record.stamp.url.invalidation
            {
                record.response.isInvalidated = true
            }
            return record
        }
    }
}
