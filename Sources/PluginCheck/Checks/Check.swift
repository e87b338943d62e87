/// One check of a plugin.
struct Check: Sendable {
    let name: String
    /// The subject of the check, in one line.
    let purpose: String
    /// The longest time that its process may take.
    private(set) var limit: Duration
    /// Runs the check and returns its observations; may be empty.
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

    /// The check with more time.
    func slower(by factor: Int) -> Check {
        var check = self
        check.limit = limit * factor
        return check
    }

    /// All checks, in the order of the report.
    static let all: [Check] = [
        loading, exports, metadata, descriptor, options, defaults, unknownSettings, lifetimes, unknownExtension,
        bareHost, heads, statuses, pieces, largeBodies, waits, wakes, pulls, cancellation, suspension, parallel, pace,
        commands, leaks, fuzz,
    ]
}
