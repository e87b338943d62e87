// What RBEFireworks was loved for, with Plugboard: a type for each request, with base and CDN, cache time and version,
// download path and a check of the response; batches, chains, and a loading message with a request.
//
//     ExampleRBEFireworks http://SERVER FOLDER
import Plugboard
import PlugboardEndpoints

let server = CommandLine.arguments[1]
let folder = CommandLine.arguments[2]

let kernel = try Kernel(plugins: [.redirect, .resume, .cache { $0.persistence = .memory }])
let client = Client(
    kernel: kernel, settings: ClientSettings(base: "\(server)/api", cdn: "\(server)/cdn"))

try await readNews(client)
try await download(client, to: folder)
try await checkShapes(client)
await showLoadingMessage(client)
try await loadTogether(client, into: folder)
try await registerAndWelcome(client)

await kernel.shutDown()
