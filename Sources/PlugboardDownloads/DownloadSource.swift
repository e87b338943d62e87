import PlugboardMessages
import PlugboardRanges

/// A server that has the file, and the request for it.
struct DownloadSource: Sendable {
    let request: Request
    /// The server's description of the file. Nil while the server has not responded and the existing bytes are of
    /// another server: the validator of one server does not apply to the file of another.
    var representation: Representation?

    /// The request for missing bytes. Nil if the representation cannot be continued.
    ///
    /// - Parameters:
    ///   - next: The offset of the first missing byte.
    ///   - end: The offset after the last; nil for the end of the file.
    ///   - whole: The description by the server that sent the first bytes.
    mutating func ask(
        from next: Int, upTo end: Int?, overlap: Int? = nil, of whole: Representation, with sender: some RequestSender
    ) async throws(PlugboardError) -> (response: Response, decision: RangeDecision)? {
        var policy = RangePolicy(representation ?? whole, next: next, end: end, overlap: overlap)
        guard let wanted = policy.request else { return nil }
        var request = request
        wanted.set(in: &request.fields)
        if representation == nil { request.fields[.ifRange] = nil }
        let response = try await sender.send(request)
        guard representation == nil else {
            return (response, policy.decision(on: response.head, to: wanted, bodyLength: response.body.length))
        }
        var known = Representation(status: response.status, fields: response.fields, length: whole.length)
        known.coding = whole.coding
        if response.status == 206, known.validator == nil { return (response, .refused(.noValidator)) }
        policy = RangePolicy(known, next: next, end: end)
        let decision = policy.decision(on: response.head, to: wanted, bodyLength: response.body.length)
        if case .part = decision { representation = known }
        return (response, decision)
    }
}
