// What RBEFireworks had, with Plugboard: a type for each request, with base and CDN, cache time and version, download
// path and a check of the response; serializers; control of calls; batches, chains, loading messages; sessions and
// cookies.
//
//     ExampleRBEFireworks http://SERVER FOLDER
import Plugboard
import PlugboardEndpoints
import PlugboardPropertyList
import PlugboardXML

let server = CommandLine.arguments[1]
let folder = CommandLine.arguments[2]

let kernel = try Kernel(plugins: [
    .redirect, .authentication, .resume, .validator,
    .cookies { $0.persistence = .memory }, .cache { $0.persistence = .memory },
])
var settings = ClientSettings(base: "\(server)/api", cdn: "\(server)/cdn")
settings.codecs = [.json, .propertyList, .xml, .form, .text, .raw]
let client = Client(kernel: kernel, settings: settings)

try await readNews(client)
try await download(client, to: folder)
try await checkShapes(client)
await showLoadingMessage(client)
try await loadTogether(client, into: folder)
try await registerAndWelcome(client)
try await readSerialized(client)
try await sendSerialized(client)
try await sendSpecial(client, server)
await control(client)
try await lookIntoCache(client)
try await useEphemeralSession(server)
try await useSessionOfLongTransfers(server)

await kernel.shutDown()
