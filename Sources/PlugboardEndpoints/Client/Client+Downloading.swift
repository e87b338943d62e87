import PlugboardCore
import PlugboardDownloads

extension Client {
    /// Receives the response into the endpoint's file, and continues what an earlier download of the same URL has left.
    nonisolated(nonsending) func download<E: Endpoint>(
        _ request: Request, to path: String, for endpoint: E, control: (any CallControl)?
    ) async throws(PlugboardError) -> ReceivedResponse {
        var download = Download.isFolder(path) ? Download(request, in: path) : Download(request, to: path)
        // Whether a request is sent again is for plugins to decide.
        download.attempts = 1
        try await endpoint.calling("prepare") { try await endpoint.prepare(&download) }
        let sender = DownloadSender(client: self, endpoint: endpoint, control: control)
        let result = try await download.run(with: sender)
        return ReceivedResponse(
            head: result.response.head, url: result.response.url, attempts: result.response.attempts,
            content: .file(DownloadedFile(path: result.file, byteCount: result.count)))
    }

    /// Refuses responses as the endpoint does, before anything is written.
    private struct DownloadSender<E: Endpoint>: RequestSender {
        let client: Client
        let endpoint: E
        let control: (any CallControl)?

        func options(of request: Request) -> RequestOptions { client.kernel.options(of: request) }

        nonisolated(nonsending) func send(_ request: Request) async throws(PlugboardError) -> Response {
            let response =
                if let control {
                    try await control.send(request, by: client.kernel)
                } else {
                    try await client.kernel.send(request)
                }
            // What these statuses mean for a part of the file, the download decides.
            if request.fields.contains(.range), [206, 304, 412, 416].contains(response.status) { return response }
            guard endpoint.acceptableStatuses.contains(response.status) else {
                throw await client.refusal(of: response, for: endpoint)
            }
            let types = endpoint.acceptableTypes
            if types.isEmpty || response.body.length == 0 { return response }
            return try await response.requireType(types, keeping: Client.excerptLimit)
        }
    }
}
