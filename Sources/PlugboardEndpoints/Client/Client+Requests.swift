import PlugboardCodecs
import PlugboardCore

extension Client {
    /// The request that an endpoint is sent as, after all adapters.
    public nonisolated(nonsending) func request<E: Endpoint>(
        for endpoint: E
    ) async throws(PlugboardError) -> Request {
        try await request(for: endpoint, labels: nil, call: nil)
    }

    nonisolated(nonsending) func request<E: Endpoint>(
        for endpoint: E, labels: CallLabels?, call: CallID?
    ) async throws(PlugboardError) -> Request {
        var parameters = try endpoint.parameters
        var url = try EndpointURL.filled(endpoint.path, with: &parameters, of: "\(E.self)")
        url = EndpointURL.joined(endpoint.base ?? settings.base ?? "", settings.pathPrefix, url)
        if !parameters.isEmpty { url += "?" + EndpointURL.query(parameters) }
        return Request(endpoint.method, url, fields: endpoint.fields)
    }
}
