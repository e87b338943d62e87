// The features of RBEFireworks with Plugboard: a type for each request, with base and CDN, cache time and version,
// download path and a check of the response; general settings with adapters, a hook and a judge; serializers; control
// of calls; batches, chains, loading messages, controls; callbacks on chosen executors; sessions and cookies;
// pinned keys.
//
//     ExampleRBEFireworks http://SERVER FOLDER [https://PINNED AUTHORITY KEY https://NOT-VALID]
import Plugboard
import PlugboardEndpoints
import PlugboardPropertyList
import PlugboardProtobuf
import PlugboardXML

let arguments = CommandLine.arguments
let (server, folder) = (arguments[1], arguments[2])

let feed = IndicatorFeed()
let kernel = try Kernel(
    plugins: [
        .indicator { $0.terminal = "off" }, .redirect, .authentication, .resume, .validator,
        .cookies { $0.persistence = .memory }, .cache { $0.path = "\(folder)/cache.sqlite" },
    ], watch: { feed.receive($0) })
var settings = ClientSettings(base: "\(server)/api", cdn: "\(server)/cdn")
settings.codecs = [.json, .propertyList, .xml, .protobuf, .form, .text, .raw]
let client = Client(kernel: kernel, settings: settings)

try await readNews(client)
try await download(client, to: folder)
try await downloadFilm(client, to: folder)
try await checkShapes(client)
await useDelegate(client)
await showLoadingMessage(client)
await useScreen(client)
await chooseExecutor(client)
try await bindControls(client, feed)
await followStates(client, feed)
try await loadTogether(client, into: folder)
try await registerAndWelcome(client)
try await growChain(client)
try await useGeneral(kernel, server)
try await readSerialized(client)
try await saveBadge(client)
try await readModels(client)
try await sendSerialized(client)
try await sendSpecial(client, server)
await control(client)
try await readStored(client)
try await lookIntoCache(client)
try await limitCache(client, in: folder)
try await useEphemeralSession(server)
try await keepCookies(server, in: folder)
try await useSessionOfLongTransfers(server)
if arguments.count == 7 {
    try await pin(arguments[3], arguments[4], arguments[5])
    try await acceptAnyCertificate(arguments[6])
}

await kernel.shutDown()
