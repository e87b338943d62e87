// The features of XMNetworking with Plugboard: general settings are set once, and a request can turn them off; hooks
// that process requests and responses, one handler of errors, batches, chains, transfers with progress, control of
// calls, pinned keys, a log that is switched on, and reachability.
//
//     ExampleXMNetworking http://SERVER FOLDER [https://PINNED AUTHORITY KEY https://NOT-VALID]
import Plugboard
import PlugboardEndpoints

let arguments = CommandLine.arguments
let (server, folder) = (arguments[1], arguments[2])

var configuration = Configuration()
if arguments.count == 7 { configuration.kernel.tls.ca = arguments[4] }
let kernel = try Kernel(
    configuration: configuration,
    plugins: [
        .redirect, .validator, .authentication, .cookies { $0.persistence = .memory }, .retry { $0.attempts = 2 },
    ])
let client = Client(kernel: kernel, settings: general(server))

try await sendWithAndWithout(client)
await refuse(client)
await ignore(client)
try await sendAny(client, server)
try await sendSecured(client, server)
try await batch(client)
try await chain(client)
try await transfer(client, folder)
try await sendBodies(client)
try await readSerialized(client)
try await saveBadge(client)
try await readModel(client)
try await sendSpecial(client, server)
await cancel(client)
await finish(client)
await useScreen(client)
await chooseExecutor(client)
await useDelegate(client)
for isOn in [true, false] { try await log(server, isOn: isOn) }
if arguments.count == 7 {
    await pin(client, arguments[3], arguments[5])
    await acceptAnyCertificate(client, arguments[6])
}
try await reach(kernel)

await kernel.shutDown()
