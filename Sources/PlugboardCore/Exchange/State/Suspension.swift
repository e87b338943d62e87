/// Whether an exchange is suspended, and what has to be done when it is resumed.
struct Suspension {
    private(set) var isActive = false
    private var jobs: [() -> Void] = []

    mutating func begin() { isActive = true }

    /// The jobs check by themselves whether they still matter when they run.
    mutating func afterwards(_ job: @escaping () -> Void) { jobs.append(job) }

    /// Ends the suspension. Returns the jobs that have to run now.
    mutating func end() -> [() -> Void] {
        isActive = false
        if jobs.isEmpty { return [] }
        defer { jobs = [] }
        return jobs
    }
}
