/// One thing that a plugin is tried for.
struct Check: Sendable {
    let name: String
    /// What is tried, in a line.
    let purpose: String
    /// How long its process may take.
    let limit: Duration
    /// Returns what was seen, if that is worth a word.
    let run: @Sendable (Subject) async throws -> String

    init(
        _ name: String, _ purpose: String, limit: Duration = .seconds(120),
        _ run: @escaping @Sendable (Subject) async throws -> String
    ) {
        self.name = name
        self.purpose = purpose
        self.limit = limit
        self.run = run
    }

    /// In the order of the report: what is read, what is said, how it lives, what it does.
    static let all: [Check] = [
        loading, exports, metadata, descriptor, options, defaults, unknownSettings, lifetimes, unknownExtension,
        bareHost, heads, statuses, pieces, largeBodies, waits, wakes, pulls, cancellation, suspension, parallel, pace,
        leaks, fuzz,
    ]
}
