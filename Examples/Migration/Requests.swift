import Plugboard

/// Gets a body as bytes, and fails for statuses that are not 2xx: in Plugboard, a response of any status is a response.
func bytes(of url: String, with kernel: Kernel) async throws(PlugboardError) -> Bytes {
    let response = try await kernel.send(Request(.get, url))
    guard (200...299).contains(response.status) else {
        throw PlugboardError("program.status", "\(url) responded with status \(response.status).")
    }
    return try await response.body.collect(upTo: .mebibytes(16))
}

/// Posts JSON.
func post(_ json: String, to url: String, with kernel: Kernel) async throws(PlugboardError) -> Response {
    var request = Request(.post, url, fields: ["Content-Type": "application/json"], body: .text(json))
    request[.accept] = "application/json"
    return try await kernel.send(request)
}

/// Uploads a file, which is read while it is sent.
func upload(_ path: String, to url: String, with kernel: Kernel) async throws(PlugboardError) -> Response {
    try await kernel.send(Request(.put, url, body: .file(path)))
}
