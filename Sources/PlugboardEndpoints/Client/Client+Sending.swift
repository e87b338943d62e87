import PlugboardCodecs
import PlugboardCore

extension Client {
    /// Sends an endpoint, for a call or without one.
    nonisolated(nonsending) func perform<E: Endpoint>(
        _ endpoint: E, labels: CallLabels?, control: (any CallControl)?
    ) async throws(PlugboardError) -> E.Response {
        let response: StreamedResponse
        do throws(PlugboardError) {
            let request = try await request(for: endpoint, labels: labels, call: control?.id)
            response =
                if let control {
                    try await control.send(request, by: kernel)
                } else {
                    try await kernel.send(request)
                }
            return try await value(of: response, for: endpoint)
        } catch {
            throw error
        }
    }

    nonisolated(nonsending) func value<E: Endpoint>(
        of response: StreamedResponse, for endpoint: E
    ) async throws(PlugboardError) -> E.Response {
        let body = try await response.body.collect(upTo: endpoint.bodyLimit ?? settings.bodyLimit)
        let received = ReceivedResponse(
            head: response.head, url: response.url, attempts: response.attempts,
            content: .bytes(body, isWhole: true))
        return try endpoint.decode(received, in: self)
    }

    /// The codec for the body of a response.
    func codec<E: Endpoint>(for response: ReceivedResponse, of endpoint: E) -> any Codec {
        endpoint.responseCodec ?? settings.codecs.first ?? JSONCodec()
    }
}
