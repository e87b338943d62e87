// What CCNetwork was loved for, with Plugboard: registers, fetches the user, then sends a batch; uploads with progress;
// adapters of URLs and parameters, a custom request, and one place that decides what a response means.
//
//     ExampleCCNetwork http://SERVER FILE
import Plugboard
import PlugboardEndpoints

let server = CommandLine.arguments[1]
let file = CommandLine.arguments[2]

let kernel = try Kernel(plugins: [.redirect])
let client = Client(kernel: kernel, settings: service(at: server))

let user = try await registerAndFetch(client)
try await loadTogether(client, user)
try await upload(client, user, file)
try await sendCustom(client, server)
await poll(client)

await kernel.shutDown()
