/// Whether an exchange is suspended, and what has to be done when it is resumed.
struct Suspension {
    private(set) var isActive = false
    private var jobs: [() -> Void] = []

    mutating func begin() { isActive = true }

    /// The jobs check by themselves whether they still matter when they run.
    mutating func afterwards(_ job: @escaping () -> Void) { jobs.append(job) }

    /// The exchange is no longer suspended. Returns what has to be done now.
    mutating func end() -> [() -> Void] {
        isActive = false
        if jobs.isEmpty { return [] }
        defer { jobs = [] }
        return jobs
    }
}
