import PlugboardCore

/// What an outcome means for the program.
public enum BusinessVerdict: Sendable {
    /// The response is a success, and is decoded. If the outcome has an error, the request still fails with it.
    case success
    /// The request has failed, with an error that may be the program's own.
    case failure(PlugboardError)
    /// Neither success nor failure: no callback of a call runs, and `send` throws the code `ignored`.
    case ignore
}

/// The outcome of a request, for the client's hooks and its judge.
public struct EndpointOutcome: Sendable {
    /// The response; nil if there is none.
    ///
    /// Only the first 64 KiB are in memory of a body that was refused for its status or type, or that is not decoded.
    public var response: ReceivedResponse?
    /// The error so far; nil for a success.
    public var error: PlugboardError?
    /// The endpoint and its labels.
    public let context: CallContext

    /// The verdict without a judge: a failure if there is an error, else a success.
    public var verdict: BusinessVerdict { error.map { .failure($0) } ?? .success }
}
