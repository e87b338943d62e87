import Plugboard

struct Topic: Codable {
    var title: String
    var tags: [String] = []
}

let arguments = CommandLine.arguments.dropFirst()
guard let server = arguments.first, let photo = arguments.dropFirst().first else { fatalError("usage: SERVER PHOTO") }
let kernel = try Kernel()

do throws(PlugboardError) {
    // Sends and receives JSON. A status other than 2xx is an error that keeps the response.
    let topic: Topic = try await kernel.send(
        Request(.post, "\(server)/topics", json: Topic(title: "Lake", tags: ["blue"]))
    ).requireStatus().decode()
    print("created \(topic.title)")

    // Nested parameters of any script, in the query; the response is read line by line.
    let search = try Request(.get, "\(server)/search", query: ["text": "湖", "tags": topic.tags])
    for try await line in try await kernel.send(search).body.lines { print("found \(line)") }

    // Sends a form with a file, which is read while it is sent; the response is written to a file.
    let form = MultipartForm([.text("title", topic.title), try .file("photo", photo)])
    let response = try await kernel.send(Request(.post, "\(server)/photos", multipart: form)).requireStatus()
    let count = try await response.body.write(to: "\(photo).small")
    print("wrote \(count) bytes")

    // Reads events, over as many connections as necessary; status 204 ends them.
    for try await event in kernel.serverSentEvents(Request(.get, "\(server)/events")) {
        print("\(event.type) \(event.id): \(event.data)")
    }
} catch {
    print(error)
    if let refused = error.response { print(refused.status, refused.firstBytes.text) }
}
await kernel.shutDown()
