import PlugboardCore
import PlugboardDownloads

extension Client {
    /// Receives the response into the endpoint's file, and continues what an earlier download of the same URL has left.
    nonisolated(nonsending) func download<E: Endpoint>(
        _ request: Request, to path: String, for endpoint: E, control: (any CallControl)?
    ) async throws(PlugboardError) -> ReceivedResponse {
        var download = await Client.download(request, to: path)
        // Whether a request is sent again is for plugins to decide.
        download.attempts = 1
        try await endpoint.calling("prepare") { try await endpoint.prepare(&download) }
        if let control {
            // It may take several requests, and go on with what is there.
            download.progress = { [own = download.progress] progress in
                own?(progress)
                control.report(downloaded: progress)
            }
        }
        let sender = DownloadSender(client: self, endpoint: endpoint, control: control)
        let result = try await download.run(with: sender)
        return ReceivedResponse(
            head: result.response.head, url: result.response.url, attempts: result.response.attempts,
            content: .file(DownloadedFile(path: result.file, byteCount: result.count)))
    }

    /// Not on the caller's executor, because looking at the file system blocks.
    @concurrent private static func download(_ request: Request, to path: String) async -> Download {
        Download.isFolder(path) ? Download(request, in: path) : Download(request, to: path)
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
                    try await control.send(request, by: client.kernel, countsReceived: false)
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
