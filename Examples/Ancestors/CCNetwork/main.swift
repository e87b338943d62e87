// The features of CCNetwork with Plugboard: a type for each request, below one base and one CDN; bodies; responses
// stored by time and by version; JSON that is checked; downloads that continue; callbacks and delegates; batches,
// chains; adapters; accessories, controls; and one function that decides what a response means.
//
//     ExampleCCNetwork http://SERVER FILE FOLDER
import Plugboard
import PlugboardEndpoints

let server = CommandLine.arguments[1]
let file = CommandLine.arguments[2]
let folder = CommandLine.arguments[3]

let feed = IndicatorFeed()
let kernel = try Kernel(
    plugins: [
        .indicator { $0.terminal = "off" }, .redirect, .resume, .validator,
        .cache {
            $0.path = "\(folder)/cache.sqlite"
            ($0.entries, $0.memory, $0.disk) = (2, .mebibytes(1), .mebibytes(8))
        },
    ], watch: { feed.receive($0) })
let client = Client(kernel: kernel, settings: service(at: server))

// Requests as objects.
let user = try await registerAndFetch(client)
try await loadTogether(client, user)
try await upload(client, user, file)
try await sendCustom(client, server)
try await sendAny(client, server)
try await sendBodies(client)
// Stored, downloaded, checked.
try await useCache(client)
try await download(client, to: folder)
try await checkShape(client)
// Many requests.
try await batch(client)
try await chain(client)
// Delegates, accessories, controls, and the verdict.
await watch(client)
await useBoard(client)
await chooseExecutor(client)
try await bindControls(client, feed)
await followStates(client, feed)
await judge(client)
await poll(client)

await kernel.shutDown()
