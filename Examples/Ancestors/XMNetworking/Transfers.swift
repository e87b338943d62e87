import PlugboardEndpoints
import Synchronization

/// Uploads a form with a file, which is read while it is sent, and downloads into a file; both report their progress.
func transfer(_ client: Client, _ folder: String) async throws {
    try await printProgress(of: Upload(title: "Lake", file: "\(folder)/lake.jpg"), client, "upload")
    try await printProgress(of: Download(photo: 7, downloadPath: "\(folder)/copy.jpg"), client, "download")
}

struct Upload: Endpoint {
    typealias Response = Void
    let title: String
    let file: String

    var method: Method { .post }
    var path: String { "photos" }
    var body: EndpointBody {
        get throws(PlugboardError) {
            .multipart([.text("title", title), try .file("photo", file)])
        }
    }
}

struct Download: Endpoint {
    typealias Response = DownloadedFile
    let photo: Int
    let downloadPath: String

    var path: String { "photos/{photo}" }
    var parameters: Parameters { ["photo": photo] }
}

/// Reads progress as a sequence, and by a callback, which is attached before the call starts.
private func printProgress<E: Endpoint>(of endpoint: E, _ client: Client, _ name: String) async throws {
    let call = client.call(endpoint, isStarted: false)
    let told = Mutex(TransferProgress())
    call.onProgress { progress in told.withLock { $0 = progress } }.start()
    var last = TransferProgress()
    for await progress in call.progress { last = progress }
    _ = try await call.value
    print("\(name): the callback was told \(told.withLock { $0 == last } ? "the same" : "less")")
    let isWhole = last.sent == last.toSend ?? 0 && last.received == last.toReceive ?? 0
    print("\(name): sent \(last.sent), received \(last.received)\(isWhole ? ", whole" : "")")
}
