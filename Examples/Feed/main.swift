import Plugboard

let url = CommandLine.arguments.dropFirst().first ?? "https://example.com/feed"
let kernel = try Kernel(plugins: .everyday)  // decodes, follows redirects, keeps cookies, retries

var request = Request(.get, url)
request[.accept] = "application/json"
request.redirect.limit = 3
request.options.timeout = .seconds(20)

do throws(PlugboardError) {
    let response = try await kernel.send(request)
    print("status \(response.status) from \(response.url)")
    for try await piece in response.body {  // a slow reader slows the sender
        print(piece.text, terminator: "")
    }
} catch {
    switch error.code {
    case .cancelled: break
    case let code where code.kind == "timeout": print("It took too long; try again later.")
    default: print("failed: \(error)")  // code, reason, and the plugin that failed it
    }
}
await kernel.shutDown()
