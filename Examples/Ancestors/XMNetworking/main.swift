// What XMNetworking had, with Plugboard: what is general is set once, and a request can turn it off; hooks
// that process requests and responses, one place for errors, batches, chains, transfers with progress, and
// reachability.
//
//     ExampleXMNetworking http://SERVER FOLDER
import Plugboard
import PlugboardEndpoints

let server = CommandLine.arguments[1]
let folder = CommandLine.arguments[2]

let kernel = try Kernel(plugins: [.redirect, .validator, .retry { $0.attempts = 2 }])
let client = Client(kernel: kernel, settings: general(server))

try await sendWithAndWithout(client)
await refuse(client)
try await batch(client)
try await chain(client)
try await transfer(client, folder)
try await sendBodies(client)
try await sendSpecial(client, server)
await cancel(client)
try reach(kernel)

await kernel.shutDown()
