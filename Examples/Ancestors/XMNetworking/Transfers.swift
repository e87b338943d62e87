import PlugboardEndpoints

/// A form with a file, which is read while it is sent, and a download into a file; both tell how far they are.
func transfer(_ client: Client, _ folder: String) async throws {
    try await printProgress(of: client.call(Upload(title: "Lake", file: "\(folder)/lake.jpg")), "upload")
    try await printProgress(of: client.call(Download(photo: 7, downloadPath: "\(folder)/copy.jpg")), "download")
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

private func printProgress<Value>(of call: Call<Value>, _ name: String) async throws {
    var last = CallProgress()
    for await progress in call.progress { last = progress }
    _ = try await call.value
    let isWhole = last.sent == last.toSend ?? 0 && last.received == last.toReceive ?? 0
    print("\(name): sent \(last.sent), received \(last.received)\(isWhole ? ", whole" : "")")
}
