import PlugboardCore

extension PlugboardError.Code {
    /// A closure of the program, or a hook of an endpoint, threw an error that is not a `PlugboardError`.
    public static let requestRefused: Self = "request.refused"
}

extension PlugboardError {
    /// The error that a closure of the program has thrown: itself, or `cancelled`, or one of the code `request.refused`
    /// whose `underlying` is the program's error.
    init(thrownBy closure: String, _ error: any Error) {
        switch error {
        case let error as PlugboardError: self = error
        case is CancellationError: self.init(.cancelled, "\(closure) was cancelled.")
        default: self.init(.requestRefused, "\(closure) has thrown an error.", underlying: "\(error)")
        }
    }
}

extension Endpoint {
    /// Calls a member that the program may have written; what it throws becomes a `PlugboardError`.
    func calling<Result>(_ member: String, _ call: () throws -> Result) throws(PlugboardError) -> Result {
        do { return try call() } catch { throw PlugboardError(thrownBy: "\(Self.self).\(member)", error) }
    }

    /// Calls a hook that the program may have written; what it throws becomes a `PlugboardError`.
    nonisolated(nonsending) func calling<Result>(
        _ hook: String, _ call: nonisolated(nonsending) () async throws -> Result
    ) async throws(PlugboardError) -> Result {
        do { return try await call() } catch { throw PlugboardError(thrownBy: "\(Self.self).\(hook)", error) }
    }
}
