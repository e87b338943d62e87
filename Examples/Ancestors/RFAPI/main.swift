// What RFAPI had, with Plugboard: requests defined in a file and by the server, with a DEFAULT that others
// refine, and called by name; callbacks, groups, messages for people, responses that are ignored, and aids for
// debugging.
//
//     ExampleRFAPI http://SERVER FILE
import Plugboard
import PlugboardEndpoints
import PlugboardPropertyList

let server = CommandLine.arguments[1]
let kernel = try Kernel(plugins: [.redirect])

var settings = ClientSettings(base: server)
settings.definitions = try .file(CommandLine.arguments[2])
settings.definitions = try await settings.definitions.merging(.url("\(server)/endpoints.json", by: kernel))
// Also as a property list.
let list = try await kernel.send(Request(.get, "\(server)/endpoints.plist")).body.collect(upTo: .mebibytes(1))
settings.definitions = try settings.definitions.merging(Definitions(PropertyList.json(from: list)))
settings.models.register(Topic.self)
settings.messages = messages
settings.judge = { outcome in outcome.response?["X-Nothing-New"] == nil ? outcome.verdict : .ignore }

let api = Client(kernel: kernel, settings: settings)

await listTopics(api)
await listNews(api)
await postReply(api)
await cancelGroup(api)
await controlAll(api)
await uploadSticker(api)
await ignore(api)
await reportFailures(api)
await debug(api)

await kernel.shutDown()
