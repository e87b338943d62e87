import PlugboardCore

/// What an outcome means for the program's business.
public enum BusinessVerdict: Sendable {
    /// The response is a success, and is decoded. With an error there is nothing to decode: the failure stays one.
    case success
    /// The request has failed, with an error that may be the program's own.
    case failure(PlugboardError)
    /// Neither: no callback of a call is called, and `send` throws the code `ignored`.
    case ignore
}

/// What came of a request, for the client's hooks and its judge.
public struct EndpointOutcome: Sendable {
    /// The response; nil if there is none.
    ///
    /// Of a body that was refused for its status or its type, or that has no value, the first 64 KiB are in memory.
    public var response: ReceivedResponse?
    /// Why it is no success; nil if nothing speaks against a success so far.
    public var error: PlugboardError?
    /// The endpoint and its labels.
    public let context: CallContext

    /// The verdict without a judge: a failure if there is an error, else a success.
    public var verdict: BusinessVerdict { error.map { .failure($0) } ?? .success }
}
