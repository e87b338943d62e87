import PlugboardCore

extension PlugboardError.Code {
    /// A closure of the program, or a hook of an endpoint, threw an error that is not a `PlugboardError`.
    public static let requestRefused: Self = "request.refused"
}

extension PlugboardError {
    /// An error that a closure of the program has thrown: a `PlugboardError` itself, `cancelled`, or `request.refused`
    /// with the program's error as `underlying`.
    init(thrownBy closure: String, _ error: any Error) {
        switch error {
        case let error as PlugboardError: self = error
        case is CancellationError: self.init(.cancelled, "\(closure) was cancelled.")
        default: self.init(.requestRefused, "\(closure) has thrown an error.", underlying: "\(error)")
        }
    }
}

extension Endpoint {
    /// Calls a member that the program may have written, and turns an error of it into a `PlugboardError`.
    func calling<Result>(_ member: String, _ call: () throws -> Result) throws(PlugboardError) -> Result {
        do { return try call() } catch { throw PlugboardError(thrownBy: "\(Self.self).\(member)", error) }
    }

    /// Calls a hook that the program may have written, and turns an error of it into a `PlugboardError`.
    nonisolated(nonsending) func calling<Result>(
        _ hook: String, _ call: nonisolated(nonsending) () async throws -> Result
    ) async throws(PlugboardError) -> Result {
        do { return try await call() } catch { throw PlugboardError(thrownBy: "\(Self.self).\(hook)", error) }
    }
}
