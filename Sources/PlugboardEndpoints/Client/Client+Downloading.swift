import PlugboardCore
import PlugboardDownloads

extension Client {
    /// Receives the response into the endpoint's file, and continues an interrupted download of the same URL.
    nonisolated(nonsending) func download<E: Endpoint>(
        _ request: Request, to path: String, for endpoint: E, control: (any CallControl)?
    ) async throws(PlugboardError) -> ReceivedResponse {
        var download = await Client.download(request, to: path)
        // Plugins decide whether a request is sent again.
        download.attempts = 1
        try await endpoint.calling("prepare") { try await endpoint.prepare(&download) }
        if let control {
            // A download may take several requests, and continues with the bytes of the file.
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

    /// Not on the caller's executor, because file system calls block.
    @concurrent private static func download(_ request: Request, to path: String) async -> Download {
        Download.isFolder(path) ? Download(request, in: path) : Download(request, to: path)
    }

    /// Refuses responses that the endpoint does not accept, before anything is written.
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
            // The download itself interprets these statuses for a part of the file.
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
