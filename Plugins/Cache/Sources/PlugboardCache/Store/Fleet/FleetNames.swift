import PlugboardKit

/// The keys under which the cache keeps its values in the store of a fleet. Texts of requests are hashed, because
/// engines show keys.
struct FleetNames: Sendable {
    /// Whether the caches serve several users: those that do, and those that do not, have no responses in common.
    let isShared: Bool

    static let generation = "cache/1/generation"

    static func chunk(_ number: Int, of id: Int64) -> String { "cache/1/body/\(String(id, radix: 16))/\(number)" }

    /// The names of a URL's marks, which its latest purge, and invalidation, have removed.
    static func marks(_ url: String) -> [String] {
        let hash = hash(url)
        return ["cache/1/purged/\(hash)", "cache/1/invalidated/\(hash)"]
    }

    func records(_ key: CacheKey) -> String { "cache/1/head/\(own(key.text))" }

    func flight(_ key: FlightKey) -> String {
        let selecting = key.selecting.map { $0.map { "=\($0)" } ?? "" }
        return "cache/1/flight/\(own(([key.key.text, key.version] + selecting).joined(separator: "\0")))"
    }

    /// Processes of another version of the format have nothing in common with this one.
    private func own(_ text: String) -> String {
        FleetNames.hash("\(StoredResponse.format)\(isShared ? "shared" : "private")\0\(text)")
    }

    private static func hash(_ text: String) -> String { String(Bytes(text).sha256.prefix(32)) }
}
